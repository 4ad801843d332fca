//===- BarrierWaits.cpp - Barriers in loops wait for LDS, whatever LLVM thinks ---------------===//
#include "conversion/lane_to_rocdl/BarrierWaits.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace hocket {

/// The operand of s_waitcnt on GFX9: lgkmcnt, in bits 11:8, is 0; fields of ones wait for nothing.
constexpr uint32_t kWaitForLgkmcnt = 0xC07F;

static bool isOfLocalMemory(LLVM::FenceOp fence) {
  auto tag = fence->getAttrOfType<LLVM::MMRATagAttr>(LLVM::LLVMDialect::getMmraAttrName());
  return !tag || tag.getSuffix() == "local";
}

static bool isOfOtherWarps(LLVM::FenceOp fence) {
  StringRef scope = fence.getSyncscope().value_or("");
  return scope != "singlethread" && scope != "wavefront";
}

/// Do the fences at `op` and next to it, on one side of a barrier, order LDS between warps?
template <typename Next>
static bool hasFence(Operation *op, LLVM::AtomicOrdering ordering, Next next) {
  for (auto fence = dyn_cast_or_null<LLVM::FenceOp>(op); fence; fence = dyn_cast_or_null<LLVM::FenceOp>(next(fence)))
    if (fence.getOrdering() == ordering && isOfLocalMemory(fence) && isOfOtherWarps(fence))
      return true;
  return false;
}

void waitAtBarriersInLoops(LLVM::LLVMFuncOp function) {
  if (function.getBody().hasOneBlock())
    return;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&function.getBody()));
  function.walk([&](ROCDL::SBarrierOp barrier) {
    if (!loops.getLoopFor(barrier->getBlock()))
      return;
    OpBuilder builder(barrier);
    bool isFence = hasFence(barrier->getPrevNode(), LLVM::AtomicOrdering::release,
                            [](Operation *fence) { return fence->getPrevNode(); });
    if (!isFence) {
      // Behind a bare barrier, what this warp has read is waited for once.
      builder.setInsertionPointAfter(barrier);
      if (!hasFence(barrier->getNextNode(), LLVM::AtomicOrdering::acquire,
                    [](Operation *fence) { return fence->getNextNode(); }))
        return;
    }
    ROCDL::SWaitcntOp::create(builder, barrier.getLoc(), kWaitForLgkmcnt);
  });
}

} // namespace hocket
