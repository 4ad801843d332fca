//===- SharedMemory.h - Shared memory of a block, with its checkers ----------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_SHAREDMEMORY_H
#define HOCKET_EMULATOR_BLOCK_SHAREDMEMORY_H

#include "emulator/block/RemoteAccesses.h"
#include "emulator/block/SpinWatch.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/machine/BankCounter.h"
#include "emulator/races/SharedRaces.h"
#include "emulator/run/EmulatedLaunch.h"

#include <map>
#include <optional>
#include <vector>

namespace hocket::emulator {

class SharedMemory {
public:
  SharedMemory(const EmulatedLaunch &launch, const LaneRunner &lanes, BlockFaults &faults, SpinWatch &spins);

  std::byte *bytes() const { return aligned; }
  /// Returns the shadow of shared memory, whose set bits mark uninitialized bits; null if uninitialized bits are not
  /// tracked.
  const std::byte *shadows() const { return hasShadow ? aligned + shadowOffset : nullptr; }
  /// True if emulated code must report its accesses of shared memory by runtime calls.
  bool isWatched() const { return banks || sharedRaces.areWatched() || hasMbarriers || isCluster; }

  SharedRaces &races() { return sharedRaces; }
  RemoteAccesses &remote() { return remoteAccesses; }

  void begin();
  /// Checks and records an access of shared memory by `lane`. `stored`: the bytes that a store will write; null for a
  /// load.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site);
  /// Checks a batch of accesses. `violated`: true if one of the accesses is not allowed.
  void accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored,
                 bool violated) {
    if (violated || banks || spins.isOn() || !mbarriers.empty() || isCluster) [[unlikely]]
      return accessEach(lane, row, offsets, stored);
    sharedRaces.accessRow(lane, row, offsets, stored);
  }
  /// Checks and records a batch of stores to shared memory. Returns false if the checks need the values that the stores
  /// write; the caller must then call `accessRow`, which takes these values.
  bool tryStoreRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, bool violated) {
    return !(violated || banks || spins.isOn() || !mbarriers.empty() || isCluster) &&
           sharedRaces.tryStoreRow(lane, row, offsets);
  }
  /// Sets the shadow of the bytes that a copy writes. `shadow`: shadow of the copy's source; null if all bits of the
  /// source are defined.
  void define(uint64_t offset, uint32_t bytes, const std::byte *shadow);
  /// Returns the shadow of the byte at `offset`; null if uninitialized bits are not tracked.
  const std::byte *shadowAt(uint64_t offset) const { return hasShadow ? aligned + shadowOffset + offset : nullptr; }
  void end(BankTotals &totals);

  /// Makes each write to the mbarrier at `offset` a fault, until `release` is called. `site`: site of the mbarrier's
  /// initialization.
  void guard(uint64_t offset, uint32_t site) { mbarriers[offset] = site; }
  void release(uint64_t offset) { mbarriers.erase(offset); }
  bool hasMbarriersNow() const { return !mbarriers.empty(); }
  /// Reports a fault if a write by thread `thread` overlaps an mbarrier. `lane` is the running lane, which belongs to
  /// the same warp as the thread.
  void checkMbarriers(Lane &lane, uint32_t thread, uint64_t offset, uint64_t bytes, uint32_t site) {
    if (!mbarriers.empty())
      failAtMbarrier(lane, thread, offset, bytes, site);
  }

private:
  void accessEach(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored);

  /// Reports a fault if an mbarrier overlaps these bytes.
  void failAtMbarrier(Lane &lane, uint32_t thread, uint64_t offset, uint64_t bytes, uint32_t site);

  const Program &program;
  BlockFaults &faults;
  const size_t size;
  const size_t shadowOffset;
  const bool hasShadow; ///< true if uninitialized bits are tracked (Shadows.h)
  std::vector<std::byte> storage;
  std::byte *const aligned;         ///< address at which shared memory starts in `storage`
  std::optional<BankCounter> banks; ///< present if bank conflicts are counted
  SharedRaces sharedRaces;
  RemoteAccesses remoteAccesses;
  const bool isCluster;                   ///< true if the memory belongs to several blocks of a cluster
  const bool hasMbarriers;                ///< true if the kernel has mbarriers
  std::map<uint64_t, uint32_t> mbarriers; ///< maps an mbarrier's offset to the site of its initialization
  SpinWatch &spins;
};

} // namespace hocket::emulator

#endif
