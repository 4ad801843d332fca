//===- StageAccess.h - A memory access in a stage of a warp pipeline --------------===//
//
// The stage and kind of an access, and the bytes of shared or global memory that it accesses; for ring buffers also the
// slot, for tiles in registers also the warps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGEACCESS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGEACCESS_H

#include "analysis/global/GlobalRange.h"
#include "analysis/memory/MemoryAliases.h"
#include "analysis/warp_pipeline/WarpExchange.h"

#include <memory>

namespace hocket {

enum class StageAccessKind : uint8_t { Read, Write };

struct StageAccess {
  mlir::Operation *op = nullptr;
  /// Index of the stage; 0, without meaning, for accesses before a pipeline.
  unsigned stage = 0;
  StageAccessKind kind = StageAccessKind::Read;
  hk::Completion completion;
  /// Regions of shared memory; empty for an access of global memory.
  llvm::SmallVector<MemoryRegion, 1> regions;
  /// The handle of shared memory.
  mlir::Value handle;
  /// The slot of `regions.front()`'s buffer, if it is a ring buffer and the only region; or the handle, as if it were a
  /// slot, among those that a loop rotates (`rotation`).
  std::optional<RingIndex> slot;
  /// The first of the loop's variables that rotate, which identifies the rotation; null for slots of a buffer.
  mlir::Value rotation;
  /// The pointer or pointers to global memory, and their address range.
  mlir::Value pointer;
  GlobalRange range;
  bool isAtomic = false;
  /// An access of a barrier in shared memory, which other threads may use at the same time.
  bool isBarrierUse = false;
  /// One thread makes the access for all warps.
  bool isByOneThread = false;
  /// Announces to other partitions that these warps have executed all earlier operations.
  bool announces = false;
  /// The layout of the tile in registers; null if it is unknown.
  mlir::RankedTensorType registers;

  bool isGlobal() const { return bool(pointer); }
  bool writes() const { return kind == StageAccessKind::Write; }
  /// True if the slot, or the buffer, changes between iterations in a way that is not analyzed.
  bool isOfUnclearSlot() const;
  bool isAsync() const { return completion.isAsync(); }
  /// Returns the counter of an asynchronous access, mostly a copy.
  std::optional<hk::AsyncCounter> getCounter() const { return completion.getCounter(); }
  /// True for an asynchronous access that completes with a phase of a barrier, for which each warp waits itself. The
  /// kernel orders later accesses.
  bool completesAtBarrier() const { return completion.getPhase().has_value(); }
  /// True for a matrix instruction that reads shared memory itself.
  bool isAsyncMma() const { return isAsync() && mlir::isa<hk::Mma>(op); }
};

using StageAccesses = llvm::SmallVector<std::unique_ptr<StageAccess>>;

/// Appends the accesses of `op` itself. Slots and addresses are in iterations of `loop`; without a loop, at that
/// program point.
void appendAccesses(StageAccesses &accesses, mlir::Operation *op, unsigned stage, mlir::scf::ForOp loop,
                    const MemoryAliases &aliases);

/// True if the two may overlap in any iterations. Shared memory must have been allocated.
bool mayOverlap(const StageAccess &a, const StageAccess &b);

/// True if both select slots of one buffer, and the slots are analyzed.
bool areInOneRing(const StageAccess &a, const StageAccess &b);

/// Number of iterations of `loop` between two accesses of global memory; nullopt if unknown.
using Iterations = std::optional<int64_t>;

/// Returns the warps among which the two exchange data. Between the groups, if different elements may overlap.
Exchange findExchange(const StageAccess &a, const StageAccess &b, Iterations apart = std::nullopt);

/// True if the two overlap only within a lane. This is required without a barrier between the two: the lanes of a warp
/// run in lockstep, but the back end may reorder accesses of different lanes.
bool isLanePrivate(const StageAccess &a, const StageAccess &b, Iterations apart = std::nullopt);

} // namespace hocket

#endif
