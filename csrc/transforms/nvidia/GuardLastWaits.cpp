//===- GuardLastWaits.cpp - Executes the wait for wgmmas after a loop only if the loop runs ----===//
//
// A typical kernel has a loop that carries the accumulators of wgmmas in flight, and a wait for them after the loop:
//
//     %sum = scf.for %i = %begin to %end step %step iter_args(%acc = %zeros) { ... }
//     %done = hk_nv.warpgroup_mma_wait %sum {outstanding = 0}
//
// If the loop has no iterations, the wait is reached with zeros that ordinary instructions have written. The path
// through the loop and the path around the loop join before the wait, with the same registers. ptxas concludes that
// ordinary instructions write accumulators of wgmmas in flight, and serializes all wgmmas of the kernel (warning
// C7515). The pass moves the loop and the wait into a branch that is taken only if the loop runs. ptxas then keeps the
// wgmmas in flight:
//
//     %done = scf.if %begin < %end { the loop; the wait; scf.yield %done } else { scf.yield %zeros }
//
// The additional branch costs nothing, because LLVM emits the same test before the loop.
//
// Input:   hk, all waits and barriers in place. Output: hk.
// Not done: loops inside loops. ptxas has not been observed to serialize wgmmas of such loops, and the wait possibly is
//           for wgmmas of the previous iteration of the outer loop.
//
//===-----------------------------------------------------------------------------------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transforms/nvidia/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_GUARDLASTWAITS
#include "transforms/nvidia/Passes.h.inc"

namespace {

bool hasWgmmas(Operation *op) {
  return op->walk([](hk_nv::WarpgroupMmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// True if wgmmas are possibly in flight at the beginning of `loop`, because a wgmma precedes the loop in its function
/// or partition.
bool mayFindWgmmas(scf::ForOp loop) {
  for (Operation *around = loop; !isa<FunctionOpInterface>(around); around = around->getParentOp())
    for (Operation *op = around->getPrevNode(); op; op = op->getPrevNode())
      if (hasWgmmas(op))
        return true;
  return false;
}

/// Returns the wait for results of `loop` that follows the loop; null if there is none, or if an operation in between
/// has effects.
hk_nv::WarpgroupMmaWaitOp waitBehind(scf::ForOp loop) {
  Operation *next = loop->getNextNode();
  while (next && isMemoryEffectFree(next) && next->getNumRegions() == 0)
    next = next->getNextNode();
  auto wait = dyn_cast_if_present<hk_nv::WarpgroupMmaWaitOp>(next);
  if (!wait || wait.getAccs().empty())
    return {};
  bool isForLoop = llvm::all_of(wait.getAccs(), [&](Value acc) { return acc.getDefiningOp() == loop; });
  return isForLoop ? wait : hk_nv::WarpgroupMmaWaitOp();
}

void guard(scf::ForOp loop, hk_nv::WarpgroupMmaWaitOp wait) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value runs = arith::CmpIOp::create(builder, loc, less, loop.getLowerBound(), loop.getUpperBound());
  SmallVector<Type> types(loop.getResultTypes());
  llvm::append_range(types, wait.getResultTypes());
  auto guarded = scf::IfOp::create(builder, loc, types, runs, /*withElseRegion=*/true);

  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    result.replaceUsesWithIf(guarded.getResult(i), [&](OpOperand &use) { return use.getOwner() != wait; });
  for (auto [i, result] : llvm::enumerate(wait.getResults()))
    result.replaceAllUsesWith(guarded.getResult(loop.getNumResults() + i));

  Block &then = guarded.getThenRegion().front();
  loop->moveBefore(&then, then.end());
  wait->moveAfter(loop);
  builder.setInsertionPointToEnd(&then);
  SmallVector<Value> values(loop.getResults());
  llvm::append_range(values, wait.getResults());
  scf::YieldOp::create(builder, loc, values);

  builder.setInsertionPointToEnd(&guarded.getElseRegion().front());
  SmallVector<Value> initial(loop.getInitArgs());
  for (Value acc : wait.getAccs())
    initial.push_back(loop.getInitArgs()[cast<OpResult>(acc).getResultNumber()]);
  scf::YieldOp::create(builder, loc, initial);
}

struct GuardLastWaitsPass : impl::GuardLastWaitsBase<GuardLastWaitsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, hk_nv::WarpgroupMmaWaitOp>> found;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->getParentOfType<LoopLikeOpInterface>() || !hasWgmmas(loop) || mayFindWgmmas(loop))
        return;
      if (hk_nv::WarpgroupMmaWaitOp wait = waitBehind(loop))
        found.push_back({loop, wait});
    });
    if (found.empty())
      return markAllAnalysesPreserved();
    for (auto [loop, wait] : found)
      guard(loop, wait);
  }
};

} // namespace

} // namespace hocket
