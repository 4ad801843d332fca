//===- SharedMemory.h - The shared memory of a block, and who watches its accesses -------------===//
#ifndef HOCKET_EMULATOR_BLOCK_SHAREDMEMORY_H
#define HOCKET_EMULATOR_BLOCK_SHAREDMEMORY_H

#include "emulator/block/RemoteAccesses.h"
#include "emulator/block/SpinWatch.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/launch/EmulatedLaunch.h"
#include "emulator/machine/BankCounter.h"
#include "emulator/races/SharedRaces.h"

#include <map>
#include <optional>
#include <vector>

namespace hocket::emulator {

class SharedMemory {
public:
  SharedMemory(const EmulatedLaunch &launch, const LaneRunner &lanes, BlockFaults &faults, SpinWatch &spins);

  std::byte *bytes() const { return aligned; }
  /// Of bits that nothing has written; null where they are not tracked.
  const std::byte *shadows() const { return hasShadow ? aligned + shadowOffset : nullptr; }
  /// Whether emulated code must tell of its accesses.
  bool isWatched() const { return banks || sharedRaces.areWatched() || hasMbarriers || isCluster; }

  SharedRaces &races() { return sharedRaces; }
  RemoteAccesses &remote() { return remoteAccesses; }

  void begin();
  /// `stored`: what a store will write, or null.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site);
  /// The same for accesses in a row. `violated`: one of them may not be made.
  void accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored,
                 bool violated) {
    if (violated || banks || spins.isOn() || !mbarriers.empty() || isCluster) [[unlikely]]
      return accessEach(lane, row, offsets, stored);
    sharedRaces.accessRow(lane, row, offsets, stored);
  }
  /// False where it takes what the stores will write to tell.
  bool tryStoreRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, bool violated) {
    return !(violated || banks || spins.isOn() || !mbarriers.empty() || isCluster) &&
           sharedRaces.tryStoreRow(lane, row, offsets);
  }
  /// A copy writes these bytes. `shadow`: of what it copies, null where that is defined.
  void define(uint64_t offset, uint32_t bytes, const std::byte *shadow);
  /// Of the byte at `offset`, what nothing has written of it; null where that is not tracked.
  const std::byte *shadowAt(uint64_t offset) const { return hasShadow ? aligned + shadowOffset + offset : nullptr; }
  void end(BankTotals &totals);

  /// The mbarrier at `offset` must not be overwritten any more, since it was initialised at `site`; or may be again.
  void guard(uint64_t offset, uint32_t site) { mbarriers[offset] = site; }
  void release(uint64_t offset) { mbarriers.erase(offset); }
  bool hasMbarriersNow() const { return !mbarriers.empty(); }
  /// Fails `lane`, the running one, if what `thread` of its warp is to write is part of an mbarrier.
  void checkMbarriers(Lane &lane, uint32_t thread, uint64_t offset, uint64_t bytes, uint32_t site) {
    if (!mbarriers.empty())
      failAtMbarrier(lane, thread, offset, bytes, site);
  }

private:
  void accessEach(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored);

  /// Where there is one at these bytes.
  void failAtMbarrier(Lane &lane, uint32_t thread, uint64_t offset, uint64_t bytes, uint32_t site);

  const Program &program;
  BlockFaults &faults;
  const size_t size;
  const size_t shadowOffset;
  const bool hasShadow; ///< of bits that nothing has written (Shadows.h)
  std::vector<std::byte> storage;
  std::byte *const aligned;         ///< in `storage`
  std::optional<BankCounter> banks; ///< where conflicts are counted
  SharedRaces sharedRaces;
  RemoteAccesses remoteAccesses;
  const bool isCluster;                   ///< several blocks have their parts of it
  const bool hasMbarriers;                ///< the kernel has some
  std::map<uint64_t, uint32_t> mbarriers; ///< by offset, where they were initialised
  SpinWatch &spins;
};

} // namespace hocket::emulator

#endif
