//===- StageAccess.h - A memory access in a stage of a warp pipeline --------------===//
//
// A StageAccess describes an access: its stage, its kind, the bytes of shared or global memory, the slot of a ring
// buffer, and the layout of the registers, which determines the warp that accesses each byte.
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
  /// Index of the stage that contains the access. An access before a pipeline belongs to no stage and has index 0.
  unsigned stage = 0;
  StageAccessKind kind = StageAccessKind::Read;
  hk::Completion completion;
  /// The accessed regions of shared memory; empty for an access of global memory.
  llvm::SmallVector<MemoryRegion, 1> regions;
  /// The handle of shared memory through which the access is made.
  mlir::Value handle;
  /// The index of the slot, if the access is of a single slot of a ring buffer. If the loop permutes several
  /// loop-carried handles cyclically, as in `yield %b, %c, %a`, `slot` is the index of the accessed handle among these
  /// handles, which is treated like the index of a slot.
  std::optional<RingIndex> slot;
  /// If the accessed handle is one of several loop-carried handles that the loop permutes cyclically, the first of
  /// these loop-carried variables; null otherwise.
  mlir::Value rotation;
  /// The pointer or tensor of pointers to global memory; `range` contains the accessed addresses.
  mlir::Value pointer;
  GlobalRange range;
  bool isAtomic = false;
  /// True for an access of a barrier in shared memory; other threads may use this barrier at the same time.
  bool isBarrierUse = false;
  /// True if a single thread makes the access for all warps.
  bool isByOneThread = false;
  /// True if the access signals to other partitions that the warps of this partition have executed all earlier
  /// operations.
  bool isSignal = false;
  /// The type, with layout, of the tensor in registers that is loaded or stored; null if the type is unknown.
  mlir::RankedTensorType registers;

  bool isGlobal() const { return bool(pointer); }
  bool writes() const { return kind == StageAccessKind::Write; }
  /// True if the analysis cannot determine the slot or buffer that the access uses in each iteration.
  bool isOfUnclearSlot() const;
  bool isAsync() const { return completion.isAsync(); }
  /// Returns the counter of asynchronous accesses on which the access completes; nullopt if there is none.
  std::optional<hk::AsyncCounter> getCounter() const { return completion.getCounter(); }
  /// True for an asynchronous access that completes with a phase of an mbarrier. No fence is needed before later
  /// accesses, because the kernel itself makes each warp wait for the phase.
  bool completesAtBarrier() const { return completion.getPhase().has_value(); }
  /// True for a matrix instruction that reads shared memory itself.
  bool isAsyncMma() const { return isAsync() && mlir::isa<hk::Mma>(op); }
};

using StageAccesses = llvm::SmallVector<std::unique_ptr<StageAccess>>;

/// Appends the accesses of `op`, without the accesses in its regions. Slots and addresses are functions of the
/// iteration of `loop`; without a loop, slots and addresses are constant.
void appendAccesses(StageAccesses &accesses, mlir::Operation *op, unsigned stage, mlir::scf::ForOp loop,
                    const MemoryAliases &aliases);

/// True if the two accesses may overlap in some pair of iterations. Shared memory must have been allocated.
bool mayOverlap(const StageAccess &a, const StageAccess &b);

/// True if both accesses are of slots of one ring buffer, and both slots are known.
bool areInOneRing(const StageAccess &a, const StageAccess &b);

/// Number of iterations of `loop` between two accesses of global memory; nullopt if unknown.
using Iterations = std::optional<int64_t>;

/// Returns the smallest set of warps within which the two accesses exchange data. If an element of one access may
/// overlap a different element of the other access, the result is Exchange::BetweenGroups.
Exchange findExchange(const StageAccess &a, const StageAccess &b, Iterations apart = std::nullopt);

/// True if different lanes never access the same byte with the two accesses. Conflicting accesses in the same stage
/// must be lane-private. The lanes of a warp run in lockstep, but the back end may reorder accesses of different lanes
/// if no barrier separates the accesses.
bool isLanePrivate(const StageAccess &a, const StageAccess &b, Iterations apart = std::nullopt);

} // namespace hocket

#endif
