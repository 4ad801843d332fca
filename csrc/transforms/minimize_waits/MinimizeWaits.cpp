//===- MinimizeWaits.cpp - The fewest waits that finish what is asynchronous in time ---------------===//
//
// Each counter of asynchronous accesses (AsyncCounter.h) is treated as the program treats it:
//
//   it neither commits nor waits     commits and waits are placed: what is started may simply be used
//   (nor lets an mbarrier wait)
//   it does                          its waits are checked: one that is certainly missing is an error; one that nothing
//                                    needs is removed, one that is stronger than needed is relaxed
//
//     scf.for %k {                                 scf.for %k {
//       use %ring[%k % 3]                            hk.async_wait_group {outstanding = 1}
//       copy -> %ring[(%k + 2) % 3]                  use %ring[%k % 3]
//     }                                              copy -> %ring[(%k + 2) % 3]
//                                                    hk.async_commit_group
//                                                  }
//
// Input:   hk before shared memory is placed (a buffer is in use until its copies have been waited for), without
//          undecided layouts. Functions with stages of warp pipelines are left alone: WarpPipelineLowering knows these.
// Output:  the same with other commits and waits.
// Method:  1. PlaceCommits: one group for what is started in a row.
//          2. WaitNeeds: which operations come too early. Where the program waits itself, one that certainly does is an
//             error.
//          3. From the last wait of the program to the first: without it, or with one group more, do the same
//          operations
//             come too early? Then it stays as it is.
//          4. PlaceWaits: as late as possible; out of loops that commit nothing; above an `if` where that saves one.
// Not done: what is asynchronous in registers (waits for products stay as they are);
//           a wait for one of two groups is not made one for both, however near the
//           second wait is.
// Cost:    a few walks for each wait of the program; each walk as often through a loop as its groups grow old, 8 times
//          at most, over the operations that access memory.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/minimize_waits/PlaceCommits.h"
#include "transforms/minimize_waits/PlaceWaits.h"
#include "transforms/minimize_waits/WaitNeeds.h"
#include "transforms/minimize_waits/WaitTexts.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_MINIMIZEWAITS
#include "transforms/Passes.h.inc"

/// The counters whose commits and waits are up to us.
static SmallVector<hk::AsyncCounter, 1> countersToPlace(func::FuncOp function) {
  bool starts = false, isExplicit = false;
  function.walk([&](Operation *op) {
    auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
    isExplicit |= hk::commitsOn(op, hk::kCopyGroups) || hk::outstandingOn(op, hk::kCopyGroups) ||
                  (barrier && barrier.getTrackedCounter() == hk::kCopyGroups);
    if (auto async = dyn_cast<hk::AsyncAccess>(op))
      starts |= llvm::any_of(op->getOperands(),
                             [&](Value operand) { return async.getCounterOf(operand) == hk::kCopyGroups; });
  });
  return starts && !isExplicit ? SmallVector<hk::AsyncCounter, 1>{hk::kCopyGroups} : SmallVector<hk::AsyncCounter, 1>{};
}

/// Whether what is started on `counter` is done when something else says so, as an mbarrier does for bulk loads.
static bool isUncounted(func::FuncOp function, hk::AsyncCounter counter) {
  return !function
              .walk([&](Operation *op) {
                bool isCounted = hk::commitsOn(op, counter) || hk::outstandingOn(op, counter);
                return isCounted ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The error of the first operation that certainly comes too early; success if there is none.
static LogicalResult checkNeeds(func::FuncOp function, const AsyncUses &uses, ArrayRef<WaitNeed> needs,
                                ArrayRef<hk::AsyncCounter> placed) {
  for (const WaitNeed &need : needs)
    if (need.isCertain && !llvm::is_contained(placed, need.counter) && !isUncounted(function, need.counter))
      return reportTooEarly(need, uses.starts()[need.number].op);
  return success();
}

/// All waits of `function` but those for what is asynchronous in registers, too.
static SmallVector<hk::AsyncWait> waitsForMemory(func::FuncOp function, const AsyncUses &uses) {
  auto isForMemory = [&](hk::AsyncCounter counter) { return !uses.hasResultsOn(counter); };
  SmallVector<hk::AsyncWait> waits;
  function.walk([&](hk::AsyncWait wait) {
    if (wait->getNumResults() == 0 && llvm::all_of(wait.getAwaitedCounters(), isForMemory))
      waits.push_back(wait);
  });
  return waits;
}

/// What waits may leave, those that can be weaker; nothing: they are not needed.
static WaitNeeds::Replaced findWeaker(func::FuncOp function) {
  AsyncUses uses(function);
  WaitNeeds walks(uses, {});
  SmallVector<WaitNeed, 0> needs = walks.find(function.getBody());
  SmallVector<hk::AsyncWait> waits = waitsForMemory(function, uses);
  WaitNeeds::Replaced weaker;
  auto isEnough = [&](hk::AsyncWait wait, std::optional<unsigned> outstanding) {
    WaitNeeds::Replaced changed = weaker;
    changed[wait] = outstanding;
    return llvm::equal(walks.find(function.getBody(), changed), needs);
  };
  for (hk::AsyncWait wait : llvm::reverse(waits)) {
    if (isEnough(wait, std::nullopt)) {
      weaker[wait] = std::nullopt;
      continue;
    }
    unsigned outstanding = wait.getOutstanding();
    while (isEnough(wait, outstanding + 1))
      ++outstanding;
    if (outstanding != wait.getOutstanding())
      weaker[wait] = outstanding;
  }
  return weaker;
}

/// Removes and relaxes waits. Of those that were not `placed`, a remark says so.
static void weakenWaits(func::FuncOp function, const llvm::SmallPtrSetImpl<Operation *> &placed) {
  for (auto [op, outstanding] : findWeaker(function)) {
    if (!placed.contains(op))
      remarkWeaker(op, outstanding);
    if (outstanding)
      cast<hk::AsyncWait>(op).setOutstanding(*outstanding);
    else
      op->erase();
  }
}

static LogicalResult minimizeWaits(func::FuncOp function) {
  bool isStaged = function.walk([](hk::StageOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (function.isExternal() || isStaged)
    return success();
  SmallVector<hk::AsyncCounter, 1> placed = countersToPlace(function);
  if (!placed.empty())
    placeCommits(function);
  AsyncUses uses(function);
  if (uses.counters().empty())
    return success();
  SmallVector<WaitNeed, 0> needs = WaitNeeds(uses, placed).find(function.getBody());
  if (failed(checkNeeds(function, uses, needs, placed)))
    return failure();
  weakenWaits(function, placeWaits(needs, placed));
  return success();
}

namespace {
struct MinimizeWaitsPass : impl::MinimizeWaitsBase<MinimizeWaitsPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(minimizeWaits(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
