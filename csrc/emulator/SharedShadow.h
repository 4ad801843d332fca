//===- SharedShadow.h - Finds accesses of shared memory that nothing orders -----------------------===//
//
// For every granule of shared memory: its last write, and who has read it, or accessed it atomically, since. An access
// that is not ordered after those it conflicts with is reported. A granule is the largest unit that no access of the
// kernel splits, so the answers are exact for each byte. Of two writes only the later is kept: what conflicts with the
// earlier one conflicts with the later one too, or is ordered between them.
//
// C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_SHAREDSHADOW_H
#define HOCKET_EMULATOR_SHAREDSHADOW_H

#include "emulator/AccessSets.h"

namespace hocket::emulator {

enum class SharedAccess : uint8_t { Read, Write, Atomic };

/// What an access runs into.
struct Conflict {
  SharedAccess earlier = SharedAccess::Read;
  bool inFlight = false; ///< a copy that has not been waited for
  uint32_t warp = 0;
  std::optional<uint32_t> lane = {}; ///< not always known
  uint32_t site = 0;
  uint64_t offset = 0; ///< the first byte that both touched
};

class SharedShadow {
public:
  /// `granule`: a power of two that divides the offset and width of each access.
  SharedShadow(size_t bytes, unsigned granule);

  /// Remembers the access, or says what it runs into.
  std::optional<Conflict> access(SharedAccess kind, uint64_t offset, uint64_t bytes, const Moment &moment,
                                 Accessor who);

  /// Until `endCopy` any access of these bytes runs into the copy.
  std::optional<Conflict> beginCopy(uint64_t offset, uint64_t bytes, const Moment &moment, Accessor who);
  /// From here on the copy is a write at `epoch` of its warp.
  void endCopy(uint64_t offset, uint64_t bytes, Epoch epoch);

  /// For when epochs begin anew.
  void forgetAll();

private:
  /// The epoch of a write that is still to come.
  static constexpr Epoch kInFlight = std::numeric_limits<Epoch>::max();

  std::optional<Conflict> read(size_t granule, const Moment &moment, PackedAccessor who);
  std::optional<Conflict> write(size_t granule, const Moment &moment, PackedAccessor who);
  std::optional<Conflict> accessAtomically(size_t granule, const Moment &moment, PackedAccessor who);
  std::optional<Conflict> findUnorderedWrite(size_t granule, const Moment &moment) const;
  std::optional<Conflict> findUnorderedAtomic(size_t granule, const Moment &moment) const;
  std::optional<Conflict> findUnorderedRead(size_t granule, const Moment &moment) const;

  const unsigned log2Granule;
  std::vector<Epoch> writeEpochs;
  std::vector<PackedAccessor> writers;
  AccessSets reads;
  std::optional<AccessSets> atomics; ///< once there are any
};

} // namespace hocket::emulator

#endif
