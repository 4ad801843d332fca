//===- GlobalMemory.h - Checks accesses of global memory ---------------------------------------===//
//
// A memory access whose pointer is derived from one kernel parameter may access only the array of that parameter. For
// any other access, the emulator searches all arrays, beginning with the array that this access used last.
//
// If the kernel both reads and writes an array, the lanes of a warp access the array in lockstep (LaneRunner::gather).
// In a kernel that updates an array in place, the reads of all lanes must precede the first write.
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

  /// Returns the happens-before order of accesses of global memory within the block.
  WarpOrder &warpOrder() { return accesses ? accesses->warpOrder() : unwatched; }

  void begin(uint64_t block);
  /// Returns the address that `lane` must access instead of `address`; if `predicate` is false, the address of dummy
  /// memory. Reports a fault of the lane if the access is not allowed.
  void *check(Lane &lane, void *address, uint32_t site, bool predicate);
  /// Checks a row of `bytes` bytes that a bulk load reads, and records the read for race detection.
  void loadRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Checks a row that a bulk store in the lane's bulk group `group` writes. When the lane has waited for the writes,
  /// `endStoreOfRow` and then `completeStores` must be called.
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
  /// Returns the address of the shadow (lane_to_host/steps/Shadows.h) of `address`, a result of `check`. For memory
  /// without a shadow, returns the address of zeros, or of dummy memory for a write.
  void *shadowOf(void *address, bool isWritten) {
    if (std::byte *shadow = launch.shadowOf(address))
      return shadow;
    return isWritten ? discardedShadow.data() : definedShadow.data();
  }
  /// Must be called after an atomic access at `address`, a result of `check`. `stored`: true if the access changed the
  /// memory.
  void endOrderedAtomic(Lane &lane, void *address, uint32_t site, bool predicate, bool stored);
  /// Performs a fence of a scope wider than the block.
  void fence(uint32_t effects);
  /// Returns true if the block has yielded at an atomic access since the last call.
  bool takeGivenWay() { return atomics.takeGivenWay(); }
  bool delaysEnd() { return atomics.delaysEnd(); }
  /// Performs the block's delayed stores (AtomicSchedule.h).
  void performStores() { atomics.performAll(); }

private:
  /// Properties of the access at one site. The access may begin at addresses from `begin` to `begin + span`. If the
  /// array is not known at the start of the launch, the first access sets this range.
  struct Allowed {
    uintptr_t begin;
    size_t span;
    uintptr_t misaligned;                 ///< mask of address bits that must be 0 for alignment
    bool inStep;                          ///< true if the lanes of a warp converge before this access
    const ShadowRegion *shadow = nullptr; ///< shadow of the array; null if no two warps can conflict
    bool ordersBlocks = false;            ///< true for an atomic access that orders blocks, if races are checked
    AccessKind accessKind = AccessKind::Read;
    uint32_t bytes = 0;
    bool releases = false, isStore = false; ///< for an atomic access: has release semantics; is a store
    uint32_t copies = 0; ///< mask: threads with one of these bits set in their index do not use the value they read
  };

  void allowAccesses();
  /// Applies the atomic schedule to an access. Returns the address that `lane` must access: `address`, or the buffer of
  /// a delayed store.
  void *accessInSchedule(Lane &lane, void *address, uint32_t site);
  /// Returns the array in which `site` may access `bytes` bytes at `address`. Reports a fault if there is no such
  /// array.
  const ArrayRange &arrayAt(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Performs delayed stores that overlap a row of a bulk copy. Returns the shadow of the array that contains the row;
  /// null if no two warps can conflict.
  const ShadowRegion *regionOfRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t site);
  /// Allows `site` to access the array that contains `address`. Reports a fault if no array allows the access.
  void findArray(Lane &lane, uintptr_t address, uint32_t site);

  const EmulatedLaunch &launch;
  const Program &program;
  LaneRunner &lanes;
  BlockFaults &faults;
  SpinWatch &spins;
  std::vector<Allowed> allowed;          ///< the allowed accesses of each site, indexed by site
  std::optional<BlockAccesses> accesses; ///< present if accesses of two warps can conflict
  WarpOrder unwatched;                   ///< order of accesses if no two warps can conflict
  AtomicSchedule atomics;
  alignas(64) std::array<std::byte, 64> masked; ///< dummy memory that masked-off accesses read
  alignas(64) std::array<std::byte, 64> discarded;
  alignas(64) std::array<std::byte, 64> definedShadow{}; ///< zeros, as shadow for reads of memory without a shadow
  alignas(64) std::array<std::byte, 64> discardedShadow;
};

} // namespace hocket::emulator

#endif
