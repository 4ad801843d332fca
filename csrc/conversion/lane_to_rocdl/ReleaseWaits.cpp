//===- ReleaseWaits.cpp - Releases in loops wait, whatever LLVM thinks -------------------------===//
#include "conversion/lane_to_rocdl/ReleaseWaits.h"

#include "dialect/lane/LaneDialect.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace hocket {

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

/// Does `fence` stand behind a barrier that releases nothing?
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
static void releaseByFence(Atomic op, const ScopeNames &scopes) {
  hk::MemSemantic semantic = op.getSem();
  if (semantic != hk::MemSemantic::Release && semantic != hk::MemSemantic::AcqRel)
    return;
  OpBuilder builder(op);
  LLVM::FenceOp::create(builder, op.getLoc(), LLVM::AtomicOrdering::release, scopes.of(op.getScope()));
  op.setSem(semantic == hk::MemSemantic::Release ? hk::MemSemantic::Relaxed : hk::MemSemantic::Acquire);
}

void waitAtReleasesInLoops(LLVM::LLVMFuncOp function, const ScopeNames &scopes) {
  if (function.getBody().hasOneBlock())
    return;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&function.getBody()));
  SmallVector<Operation *> operations;
  function.walk([&](Operation *op) {
    if (loops.getLoopFor(op->getBlock()))
      operations.push_back(op);
  });
  for (Operation *op : operations) {
    if (auto atomic = dyn_cast<lane::AtomicRmwOp>(op))
      releaseByFence(atomic, scopes);
    else if (auto atomic = dyn_cast<lane::AtomicCasOp>(op))
      releaseByFence(atomic, scopes);
  }
  function.walk([&](LLVM::FenceOp fence) {
    if (loops.getLoopFor(fence->getBlock()))
      waitAt(fence);
  });
}

} // namespace hocket
