//===- GlobalMemory.h - Which accesses of global memory are allowed ----------------------------===//
//
// A site whose pointer comes from one kernel parameter may access that parameter's array only. For other sites all
// arrays are looked at, and the one that was hit is tried first the next time.
//
// Lanes of a warp access an array in step if the kernel both reads and writes it (LaneRunner::gather): kernels that
// change an array in place rely on it that all lanes have read before the first one writes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_GLOBALMEMORY_H
#define HOCKET_EMULATOR_BLOCK_GLOBALMEMORY_H

#include "emulator/block/LaneRunner.h"
#include "emulator/block/SpinWatch.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/launch/EmulatedLaunch.h"
#include "emulator/races/GlobalRaces.h"

#include <array>
#include <optional>
#include <vector>

namespace hocket::emulator {

class GlobalMemory {
public:
  GlobalMemory(EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SpinWatch &spins);

  /// Of accesses of global memory within the block.
  WarpOrder &warpOrder() { return accesses ? accesses->warpOrder() : unwatched; }

  void begin(uint64_t block);
  /// Where `lane` is to access instead of `address`: memory of no meaning where the predicate is false. Fails the lane
  /// where the access is not allowed.
  void *check(Lane &lane, void *address, uint32_t site, bool predicate);
  /// Checks `bytes` bytes in elements of the site's width, which a bulk load reads one by one.
  void loadRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Checks a row that a bulk store of the lane's group `group` writes. `endStoreOfRow` and then `completeStores`
  /// follow once the lane has waited for these writes.
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
  /// The shadow of what is at `address`, which `check` gave; zeros, or memory of no meaning if it is to be written.
  void *shadowOf(void *address, bool isWritten) {
    if (std::byte *shadow = launch.shadowOf(address))
      return shadow;
    return isWritten ? discardedShadow.data() : definedShadow.data();
  }
  /// Follows an atomic access at `address`, which `check` has allowed. `stored`: it changed the memory.
  void endOrderedAtomic(Lane &lane, void *address, uint32_t site, bool predicate, bool stored);
  /// A fence of a scope wider than the block.
  void fence(uint32_t effects);

private:
  /// Which addresses a site may access: begin to begin + span. Filled at first use where the array is not known.
  struct Allowed {
    uintptr_t begin;
    size_t span;
    uintptr_t misaligned;                 ///< mask of the bits that must be 0
    bool inStep;                          ///< the lanes of a warp come here together
    const ShadowRegion *shadow = nullptr; ///< null where no two warps can be in conflict
    bool ordersBlocks = false;            ///< and there are blocks in conflict
    AccessKind accessKind = AccessKind::Read;
    uint32_t bytes = 0;
    uint32_t copies = 0; ///< lanes of whose number a bit is set here read what nobody uses
  };

  void allowAccesses();
  /// The array that `site` may access `bytes` of at `address`; fails if there is none.
  const ArrayRange &arrayAt(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// The shadow of the array that a row is in; null where no two warps can be in conflict.
  const ShadowRegion *regionOfRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Makes the site allow the array that `address` is in; fails if there is none that it may access so.
  void findArray(Lane &lane, uintptr_t address, uint32_t site);

  const EmulatedLaunch &launch;
  const Program &program;
  LaneRunner &lanes;
  BlockFaults &faults;
  SpinWatch &spins;
  std::vector<Allowed> allowed;                 ///< by site
  std::optional<BlockAccesses> accesses;        ///< where two warps can be in conflict
  WarpOrder unwatched;                          ///< otherwise
  alignas(64) std::array<std::byte, 64> masked; ///< what a masked-off read sees
  alignas(64) std::array<std::byte, 64> discarded;
  alignas(64) std::array<std::byte, 64> definedShadow{}; ///< of memory without one
  alignas(64) std::array<std::byte, 64> discardedShadow;
};

} // namespace hocket::emulator

#endif
