//===- GlobalMemory.h - Checks accesses of global memory ---------------------------------------===//
//
// A site whose pointer comes from one kernel parameter may access only that parameter's array. For other sites, all
// arrays are searched, beginning with the array that the site accessed last.
//
// Lanes of a warp access an array in lockstep if the kernel both reads and writes the array (LaneRunner::gather),
// because in kernels that change an array in place, the reads of all lanes must precede the first write.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_GLOBALMEMORY_H
#define HOCKET_EMULATOR_BLOCK_GLOBALMEMORY_H

#include "emulator/block/AtomicSchedule.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/SpinWatch.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/races/GlobalRaces.h"
#include "emulator/run/EmulatedLaunch.h"

#include <array>
#include <optional>
#include <vector>

namespace hocket::emulator {

class GlobalMemory {
public:
  GlobalMemory(EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SpinWatch &spins);

  /// Order of accesses of global memory within the block.
  WarpOrder &warpOrder() { return accesses ? accesses->warpOrder() : unwatched; }

  void begin(uint64_t block);
  /// Returns the address that `lane` must access: `address`, or the address of dummy memory if the predicate is false.
  /// Reports a fault of the lane if the access is not allowed.
  void *check(Lane &lane, void *address, uint32_t site, bool predicate);
  /// Checks `bytes` bytes that a bulk load reads as single elements of the site's width.
  void loadRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Checks a row that a bulk store of the lane's group `group` writes. Must be followed by `endStoreOfRow` and then
  /// `completeStores` once the lane has waited for these writes.
  void storeRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site, uint64_t group);
  void endStoreOfRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  void completeStores(const Lane &lane, uint64_t group) {
    if (accesses)
      accesses->completeBulkStores(lane, group);
  }
  void fenceProxy(const Lane &lane) {
    if (accesses)
      accesses->fenceProxy(lane);
  }
  /// Returns the shadow of `address`, a result of `check`. For memory without a shadow, returns zeros for reads and
  /// dummy memory for writes.
  void *shadowOf(void *address, bool isWritten) {
    if (std::byte *shadow = launch.shadowOf(address))
      return shadow;
    return isWritten ? discardedShadow.data() : definedShadow.data();
  }
  /// Must be called after an atomic access at `address`, which `check` has allowed. `stored`: true if the access
  /// changed the memory.
  void endOrderedAtomic(Lane &lane, void *address, uint32_t site, bool predicate, bool stored);
  /// Performs a fence of a scope wider than the block.
  void fence(uint32_t effects);
  /// True if an atomic access has let other blocks run first since the last call.
  bool takeGivenWay() { return atomics.takeGivenWay(); }
  bool delaysEnd() { return atomics.delaysEnd(); }
  /// Performs the block's stores that the schedule keeps back.
  void performStores() { atomics.performAll(); }

private:
  /// The addresses that a site may access: begin to begin + span. If the array is not known at the start, the first
  /// access fills the entry.
  struct Allowed {
    uintptr_t begin;
    size_t span;
    uintptr_t misaligned;                 ///< mask of address bits that must be 0 for alignment
    bool inStep;                          ///< true if the lanes of a warp converge before this access
    const ShadowRegion *shadow = nullptr; ///< null if no two warps can conflict
    bool ordersBlocks = false;            ///< true if blocks can conflict
    AccessKind accessKind = AccessKind::Read;
    uint32_t bytes = 0;
    bool releases = false, isStore = false; ///< properties of an atomic access
    uint32_t copies = 0;                    ///< mask: lanes whose number has one of these bits read an unused value
  };

  void allowAccesses();
  /// Returns the memory that `lane` must access instead of `address`, because the schedule may keep stores back.
  void *accessInSchedule(Lane &lane, void *address, uint32_t site);
  /// Returns the array in which `site` may access `bytes` bytes at `address`; fails if there is none.
  const ArrayRange &arrayAt(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Returns the shadow of the array that contains a row; null if no two warps can conflict.
  const ShadowRegion *regionOfRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Lets the site access the array that contains `address`; fails if no array allows the access.
  void findArray(Lane &lane, uintptr_t address, uint32_t site);

  const EmulatedLaunch &launch;
  const Program &program;
  LaneRunner &lanes;
  BlockFaults &faults;
  SpinWatch &spins;
  std::vector<Allowed> allowed;          ///< indexed by site
  std::optional<BlockAccesses> accesses; ///< present if two warps can conflict
  WarpOrder unwatched;                   ///< used if no two warps can conflict
  AtomicSchedule atomics;
  alignas(64) std::array<std::byte, 64> masked; ///< memory for masked-off reads
  alignas(64) std::array<std::byte, 64> discarded;
  alignas(64) std::array<std::byte, 64> definedShadow{}; ///< shadow for memory that has none
  alignas(64) std::array<std::byte, 64> discardedShadow;
};

} // namespace hocket::emulator

#endif
