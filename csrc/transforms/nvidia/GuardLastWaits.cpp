//===- GuardLastWaits.cpp - Executes the wait for wgmmas after a loop only if the loop has run -===//
//
// A loop that carries wgmmas in flight, and the wait for them after it:
//
//     %sum = scf.for %i = %begin to %end step %step iter_args(%acc = %zeros) { ... }
//     %done = hk_nv.warpgroup_mma_wait %sum {outstanding = 0}
//
// If the loop does not run, the wait is reached with zeros that have just been written. As both paths join before the
// wait in the same registers, ptxas takes these for accumulators that other instructions write while wgmmas are in
// flight, and serializes all wgmmas of the kernel (C7515). If the wait is only on the path of the loop,
//
//     %done = scf.if %begin < %end { the loop; the wait; scf.yield %done } else { scf.yield %zeros }
//
// ptxas keeps them in flight. The loop itself is unchanged: LLVM emits the same test before it.
//
// Input:   hk, all waits and barriers in place. Output: hk.
// Not done: nested loops. There the registers have other values before the inner loop, ptxas has not complained, and
//           the wait may be for wgmmas of the previous iteration.
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

bool hasProducts(Operation *op) {
  return op->walk([](hk_nv::WarpgroupMmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// True if groups may be in flight where `loop` begins. All operations before it in its function or partition count.
bool mayFindProducts(scf::ForOp loop) {
  for (Operation *around = loop; !isa<FunctionOpInterface>(around); around = around->getParentOp())
    for (Operation *op = around->getPrevNode(); op; op = op->getPrevNode())
      if (hasProducts(op))
        return true;
  return false;
}

/// Returns the wait after `loop`, if only values are between them and it waits for values that the loop carries.
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
      if (loop->getParentOfType<LoopLikeOpInterface>() || !hasProducts(loop) || mayFindProducts(loop))
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
