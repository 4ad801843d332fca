//===- StageAccess.h - One access of memory, as warp pipelines see it -------------===//
//
// Who, in which stage, does what to which bytes of shared or global memory; for slots of rings also to which of them,
// for tiles of registers also with which warps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGEACCESS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGEACCESS_H

#include "analysis/global/GlobalPlace.h"
#include "analysis/shared/SharedAliases.h"
#include "analysis/warp_pipeline/WarpExchange.h"

#include <memory>

namespace hocket {

enum class StageAccessKind : uint8_t { Read, Write };

struct StageAccess {
  mlir::Operation *op = nullptr;
  /// Of accesses before a pipeline: 0, and of no meaning.
  unsigned stage = 0;
  StageAccessKind kind = StageAccessKind::Read;
  /// Of an asynchronous access, mostly a copy: what tells when it is done.
  std::optional<hk::AsyncCounter> counter;
  /// Of shared memory; none of an access of global memory.
  llvm::SmallVector<SharedRegion, 1> regions;
  /// What refers to shared memory.
  mlir::Value handle;
  /// Which slot of `regions.front()`'s buffer, if it is a ring and the only region; or which of the handles that a loop
  /// passes round, `rotation`, as if they were the slots of a ring.
  std::optional<RingIndex> slot;
  /// One of the variables of the loop that take turns, the same one for all of them; null for slots of a buffer.
  mlir::Value rotation;
  /// Of global memory: the pointer or pointers, and where they lead.
  mlir::Value pointer;
  GlobalPlace place;
  bool isAtomic = false;
  /// Asynchronous, and no wait for groups tells when it is done: an mbarrier does, for which each warp waits itself.
  /// The kernel orders what follows.
  bool isUncounted = false;
  /// Of a barrier that lies in shared memory, which other threads may use at the same time.
  bool isBarrierUse = false;
  /// One thread does it for all warps.
  bool isByOneThread = false;
  /// It tells other partitions that these warps have come so far.
  bool announces = false;
  /// What the warps hold of the tile; null if nothing is known.
  mlir::RankedTensorType registers;

  bool isGlobal() const { return bool(pointer); }
  bool writes() const { return kind == StageAccessKind::Write; }
  /// Of a slot, or a buffer, that changes from iteration to iteration in a way we do not understand.
  bool isOfUnclearSlot() const;
  bool isAsync() const { return counter.has_value(); }
  /// Of a matrix unit that reads shared memory itself.
  bool isProduct() const { return isAsync() && mlir::isa<hk::MatrixProduct>(op); }
};

using StageAccesses = llvm::SmallVector<std::unique_ptr<StageAccess>>;

/// Appends what `op` itself does to memory. Slots and addresses are those of iterations of `loop`; without one, of the
/// moment.
void appendAccesses(StageAccesses &accesses, mlir::Operation *op, unsigned stage, mlir::scf::ForOp loop,
                    const SharedAliases &aliases);

/// In whatever iterations. Shared memory must have been placed.
bool mayOverlap(const StageAccess &a, const StageAccess &b);

/// Both select from one buffer, and it is known which slot.
bool areInOneRing(const StageAccess &a, const StageAccess &b);

/// In which iterations two accesses of global memory are: in one of `loop`, and so many later; or nothing known of it.
using Iterations = std::optional<int64_t>;

/// Among which warps: where the two meet at all. Between the groups, if it may be in different elements.
Exchange findExchange(const StageAccess &a, const StageAccess &b, Iterations apart = std::nullopt);

/// Does a lane meet only itself? Without a barrier between the two that is what it takes: the lanes of a warp are in
/// step on the machine, but the compiler after us may move what one lane does over what another does.
bool isLanePrivate(const StageAccess &a, const StageAccess &b, Iterations apart = std::nullopt);

} // namespace hocket

#endif
