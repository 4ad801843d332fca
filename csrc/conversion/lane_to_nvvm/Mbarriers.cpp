//===- Mbarriers.cpp - Expands lane.mbarrier_wait and lane.store_async for NVIDIA --------------===//
//
//   ^again:                                              mbarrier.try_wait.parity suspends the thread, for a time that
//     %done = nvvm.mbarrier.try_wait %barrier, %parity   the hardware limits; before Hopper, mbarrier.test_wait
//     cond_br %done, ^on, ^again                         returns at once, and the loop sleeps in between
//
// st.async has neither an NVVM operation nor an LLVM intrinsic, so it is inline PTX.
//
// PTX ISA 9.0, "mbarrier.test_wait, mbarrier.try_wait", "st.async".
//
//===------------------------------------------------------------------------------===//
#include "target/Mbarriers.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "conversion/lane_to_nvvm/Ptx.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hocket::nvvm {

/// Time between two tests of an mbarrier.
static constexpr int32_t kNanosecondsOfSleep = 20;

NVVM::MemScopeKind scopeOfWaits(ModuleOp module) {
  auto isOfCluster = [](Operation *op) {
    if (auto arrive = dyn_cast<NVVM::MBarrierArriveOp>(op))
      return arrive.getScope() == NVVM::MemScopeKind::CLUSTER;
    if (auto expect = dyn_cast<NVVM::MBarrierArriveExpectTxOp>(op))
      return expect.getScope() == NVVM::MemScopeKind::CLUSTER;
    return isa<lane::StoreAsyncOp>(op);
  };
  WalkResult found =
      module.walk([&](Operation *op) { return isOfCluster(op) ? WalkResult::interrupt() : WalkResult::advance(); });
  return found.wasInterrupted() ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
}

LogicalResult expandMbarrierWait(IRRewriter &rewriter, lane::MbarrierWaitOp op, const TargetInfo &target,
                                 NVVM::MemScopeKind scope) {
  Location loc = op.getLoc();
  Block *before = op->getBlock();
  Block *after = rewriter.splitBlock(before, op->getIterator());
  Block *again = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::BrOp::create(rewriter, loc, ValueRange(), again);
  rewriter.setInsertionPointToEnd(again);
  Type i1 = rewriter.getI1Type();
  if (target.hasTransactionMbarriers) {
    Value done = NVVM::MBarrierTryWaitOp::create(rewriter, loc, i1, op.getBarrier(), op.getParity(), /*ticks=*/Value(),
                                                 scope, /*relaxed=*/false);
    LLVM::CondBrOp::create(rewriter, loc, done, after, again);
  } else {
    Value done = NVVM::MBarrierTestWaitOp::create(rewriter, loc, i1, op.getBarrier(), op.getParity());
    Block *sleep = rewriter.createBlock(after);
    Value time = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), kNanosecondsOfSleep);
    NVVM::NanosleepOp::create(rewriter, loc, time);
    LLVM::BrOp::create(rewriter, loc, ValueRange(), again);
    rewriter.setInsertionPointToEnd(again);
    LLVM::CondBrOp::create(rewriter, loc, done, after, sleep);
  }
  rewriter.eraseOp(op);
  return success();
}

LogicalResult expandStoreAsync(IRRewriter &rewriter, lane::StoreAsyncOp op) {
  Ptx ptx;
  SmallVector<std::string> words;
  for (Value word : op.getWords())
    words.push_back(ptx.input(word, "r"));
  std::string vector = words.size() == 1 ? "" : ".v" + std::to_string(words.size());
  std::string stored = words.size() == 1 ? words.front() : "{" + llvm::join(words, ", ") + "}";
  std::string dst = ptx.input(op.getDst(), "l"), barrier = ptx.input(op.getBarrier(), "l");
  ptx.text = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" + vector + ".b32 [" + dst + "], " + stored +
             ", [" + barrier + "];";
  ptx.emit(rewriter, op.getLoc(), Type(), /*hasSideEffects=*/true);
  rewriter.eraseOp(op);
  return success();
}

} // namespace hocket::nvvm
