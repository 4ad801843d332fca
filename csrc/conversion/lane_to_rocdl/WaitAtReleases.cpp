//===- WaitAtReleases.cpp - Inserts s_waitcnt at release fences in loops -----------------------===//
//
// Before a barrier, or an atomic with release semantics, LLVM inserts an s_waitcnt for outstanding accesses. LLVM
// deletes this s_waitcnt if no access is pending at its first visit of the basic block. In a loop, accesses at the end
// of the loop can be pending, but LLVM visits the end of the loop later. LLVM does not restore a deleted s_waitcnt:
//
//     loop:  (s_waitcnt lgkmcnt(0))   deleted: no access is pending at the loop's entry
//            s_barrier
//            ds_read ...
//            s_barrier
//            ds_write ...             pending at the barrier at the top of the next iteration
//            s_cbranch loop
//
// (SIInsertWaitcnts.cpp of LLVM 22.1.8 deletes waits that SIMemoryLegalizer marks as `soft`.) An explicit s_waitcnt is
// never deleted. If LLVM keeps its own wait, LLVM merges the two waits.
//
//     fence release, of LDS or of a block           ->  also s_waitcnt lgkmcnt(0)
//     fence release, of memory beyond the block     ->  also s_waitcnt vmcnt(0)
//     atomic release, acq_rel                       ->  fence release, as above; atomic relaxed, acquire
//     fence acquire, after a barrier without a release fence       ->  also s_waitcnt lgkmcnt(0), for reads
//
// Within a block, accesses of global memory are ordered without a wait (gfx942 and gfx950, except in threadgroup split
// mode). Not done: code outside of loops, because LLVM does not delete waits outside of loops.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/lane_to_rocdl/Passes.h"
#include "conversion/lane_to_rocdl/SyncScopes.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_WAITATRELEASES
#include "conversion/lane_to_rocdl/Passes.h.inc"

// The operand of s_waitcnt on GFX9: vmcnt in bits 15:14 and 3:0, expcnt in 6:4, lgkmcnt in 11:8. A field of all ones
// does not wait.
constexpr uint32_t kWaitForNothing = 0xCF7F;
constexpr uint32_t kAllOfLgkmcnt = 0x0F00;
constexpr uint32_t kAllOfVmcnt = 0xC00F;

/// Returns the memory that the fence orders: "local", "global", or "" for both.
static StringRef memoryOf(LLVM::FenceOp fence) {
  auto tag = fence->getAttrOfType<LLVM::MMRATagAttr>(LLVM::LLVMDialect::getMmraAttrName());
  return tag ? tag.getSuffix() : "";
}

/// Returns the operand of the s_waitcnt that the release fence `fence` needs.
static uint32_t waitOf(LLVM::FenceOp fence) {
  StringRef scope = fence.getSyncscope().value_or(""), memory = memoryOf(fence);
  uint32_t wait = kWaitForNothing;
  if (scope == "singlethread" || scope == "wavefront")
    return wait;
  if (memory != "global")
    wait &= ~kAllOfLgkmcnt;
  if (memory != "local" && scope != "workgroup")
    wait &= ~kAllOfVmcnt;
  return wait;
}

/// True if reads can be pending at `fence`: a barrier precedes `fence`, and the barrier follows a fence of
/// single-thread scope.
static bool finishesReads(LLVM::FenceOp fence) {
  auto barrier = dyn_cast_or_null<ROCDL::SBarrierOp>(fence->getPrevNode());
  auto release = barrier ? dyn_cast_or_null<LLVM::FenceOp>(barrier->getPrevNode()) : nullptr;
  return release && release.getSyncscope() == "singlethread";
}

static void waitAt(LLVM::FenceOp fence) {
  bool releases = fence.getOrdering() != LLVM::AtomicOrdering::acquire;
  uint32_t wait = waitOf(fence);
  if (wait == kWaitForNothing || !(releases || finishesReads(fence)))
    return;
  OpBuilder builder(fence);
  builder.setInsertionPointAfter(fence);
  ROCDL::SWaitcntOp::create(builder, fence.getLoc(), wait);
}

template <typename Atomic>
static void releaseByFence(Atomic op) {
  hk::MemSemantic semantic = op.getSem();
  if (semantic != hk::MemSemantic::Release && semantic != hk::MemSemantic::AcqRel)
    return;
  OpBuilder builder(op);
  LLVM::FenceOp::create(builder, op.getLoc(), LLVM::AtomicOrdering::release, kAmdScopes.of(op.getScope()));
  op.setSem(semantic == hk::MemSemantic::Release ? hk::MemSemantic::Relaxed : hk::MemSemantic::Acquire);
}

static void waitAtReleases(LLVM::LLVMFuncOp function, DominanceInfo &dominance) {
  CFGLoopInfo loops(dominance.getDomTree(&function.getBody()));
  auto isInLoop = [&](Operation *op) { return loops.getLoopFor(op->getBlock()) != nullptr; };
  SmallVector<Operation *> atomics;
  function.walk([&](Operation *op) {
    if (isa<lane::AtomicRmwOp, lane::AtomicCasOp>(op) && isInLoop(op))
      atomics.push_back(op);
  });
  for (Operation *op : atomics) {
    if (auto atomic = dyn_cast<lane::AtomicRmwOp>(op))
      releaseByFence(atomic);
    else
      releaseByFence(cast<lane::AtomicCasOp>(op));
  }
  function.walk([&](LLVM::FenceOp fence) {
    if (isInLoop(fence))
      waitAt(fence);
  });
}

namespace {

struct WaitAtReleases : impl::WaitAtReleasesBase<WaitAtReleases> {
  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    if (function.isExternal() || function.getBody().hasOneBlock())
      return markAllAnalysesPreserved();
    waitAtReleases(function, getAnalysis<DominanceInfo>());
  }
};

} // namespace
} // namespace hocket
