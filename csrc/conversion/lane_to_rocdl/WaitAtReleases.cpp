//===- WaitAtReleases.cpp - Releases in loops wait, whatever LLVM thinks -----------------------===//
//
// What others are to see has to be done first: before a barrier, or an atomic with release semantics, LLVM puts an
// s_waitcnt. It considers it superfluous where nothing is pending the first time it looks, which in a loop is before it
// knows what the end of the loop leaves pending; and what it has deleted once does not come back:
//
//     loop:  (s_waitcnt lgkmcnt(0))   deleted: nothing is pending where the loop is entered
//            s_barrier
//            ds_read ..
//            s_barrier
//            ds_write ..              pending at the barrier on the top of the next iteration
//            s_cbranch loop
//
// (SIInsertWaitcnts.cpp, waits that SIMemoryLegalizer marks as `soft`; seen with 22.1.8.) An s_waitcnt of the program's
// own is never deleted, and the two become one.
//
//     fence release, of LDS or of a block           ->  and s_waitcnt lgkmcnt(0)
//     fence release, of memory beyond the block     ->  and s_waitcnt vmcnt(0)
//     atomic release, acq_rel                       ->  fence release, and so on; atomic relaxed, acquire
//     fence acquire, after the bare barrier of a warp pipeline     ->  and s_waitcnt lgkmcnt(0), for reads
//
// Within a block global memory is in order without a wait (gfx942 and gfx950 outside of their threadgroup split mode).
// Not done: code outside of loops, where LLVM's own waits stay.
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

// The operand of s_waitcnt on GFX9: vmcnt in bits 15:14 and 3:0, expcnt in 6:4, lgkmcnt in 11:8. A field of ones waits
// for nothing.
constexpr uint32_t kWaitForNothing = 0xCF7F;
constexpr uint32_t kAllOfLgkmcnt = 0x0F00;
constexpr uint32_t kAllOfVmcnt = 0xC00F;

/// "local", "global", or "" for both.
static StringRef memoryOf(LLVM::FenceOp fence) {
  auto tag = fence->getAttrOfType<LLVM::MMRATagAttr>(LLVM::LLVMDialect::getMmraAttrName());
  return tag ? tag.getSuffix() : "";
}

/// What a release by `fence` has to wait for.
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

/// Does `fence` follow a barrier that releases nothing?
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
