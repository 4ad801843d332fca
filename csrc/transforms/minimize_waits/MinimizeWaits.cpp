//===- MinimizeWaits.cpp - Places, checks and relaxes waits for asynchronous operations ------------===//
//
// For each counter of asynchronous accesses (AsyncCounter.h), the task of the pass depends on the program:
//
//   no commit, no wait, and no          the pass inserts commits and waits, so the program can use the results directly
//   completion through an mbarrier
//   a commit or a wait                  the pass checks the waits: a certainly missing wait is an error; an unnecessary
//                                       wait is removed; a wait that is stronger than needed is relaxed
//
//     scf.for %k {                                 scf.for %k {
//       use %ring[%k % 3]                            hk.async_wait_group {outstanding = 1}
//       copy -> %ring[(%k + 2) % 3]                  use %ring[%k % 3]
//     }                                              copy -> %ring[(%k + 2) % 3]
//                                                    hk.async_commit_group
//                                                  }
//
// Input:   hk with decided layouts, in which markers delimit the stages of warp pipelines. Shared memory must not be
//          allocated yet, because a buffer is live until a wait has completed its copies.
// Output:  hk, in which commits and waits have been inserted, relaxed or removed.
// Method:  1. Replaces the results of waits by the results of the asynchronous operations. Such a wait is
//             removed if the function has no asynchronous operation on the counter of the wait, unless the waits of
//             the program must be kept.
//          2. PlaceCommits: commits consecutive copies as one group.
//          3. WaitNeeds: finds the operations that need a wait. JoinGroups: forms one group of wgmmas that are needed
//             together. If the program has waits, an operation that certainly lacks a wait is an error, provided that
//             WitnessRuns finds an execution that reaches the operation.
//          4. PlaceWaits: inserts waits as late as possible, but outside of loops without commits. If possible, one
//             wait above an `if` replaces two waits.
//          5. For each wait, from the last to the first: finds the operations that need the wait. An operation needs
//             the wait if it conflicts with an access that the wait completes and that no other wait completes before
//             the operation. If no operation needs the wait, the wait is removed. Otherwise the wait leaves the maximum
//             number of groups in flight with which the wait still completes these accesses. docs/asynchronous_waits.md
//             explains why this is safe for all conditions of branches.
//          6. Reverses step 1: replaces the results of the asynchronous operations by the results of the waits.
//          In functions with stages, StagedWaits places, relaxes and removes waits for copies. The pass does not change
//          waits for wgmma that such a function contains. If the function contains no waits for wgmma, the pass inserts
//          waits that complete each wgmma in its stage, because the other warpgroup can overwrite the operands after
//          the stage.
// Not done: merging the waits for two groups of copies into one wait for both groups, even if the second wait follows
//           closely.
// Cost:    a few walks for each wait of the program. A walk visits only operations that start, commit, complete or
//          conflict with accesses that the wait can complete. A loop is walked once for each iteration in which such
//          accesses stay in flight, at most 8 times.
//
//===------------------------------------------------------------------------------===//
#include "analysis/memory/MemoryAliases.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/SyncRecord.h"
#include "transforms/check_phases/CheckPhases.h"
#include "transforms/minimize_waits/JoinGroups.h"
#include "transforms/minimize_waits/LoopEnd.h"
#include "transforms/minimize_waits/PlaceCommits.h"
#include "transforms/minimize_waits/PlaceWaits.h"
#include "transforms/minimize_waits/ResultsThroughWaits.h"
#include "transforms/minimize_waits/StagedWaits.h"
#include "transforms/minimize_waits/WaitNeeds.h"
#include "transforms/minimize_waits/WaitTexts.h"
#include "transforms/minimize_waits/WeakenWaits.h"
#include "transforms/minimize_waits/WitnessRun.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_MINIMIZEWAITS
#include "transforms/Passes.h.inc"

/// True if the pass inserts the commits and waits for copies, because the program starts copies but has no commits and
/// waits for them.
static bool areCopiesToPlace(func::FuncOp function) {
  bool starts = false, isExplicit = false;
  function.walk([&](Operation *op) {
    auto arrival = dyn_cast<hk::AsyncArrival>(op);
    isExplicit |= hk::commitsOn(op, hk::kCopyGroups) || hk::outstandingOn(op, hk::kCopyGroups) ||
                  (arrival && arrival.getArrivingCounter() == hk::kCopyGroups);
    if (auto async = dyn_cast<hk::AsyncAccess>(op))
      starts |= llvm::any_of(op->getOperands(),
                             [&](Value operand) { return async.getCompletionOf(operand).isOn(hk::kCopyGroups); });
  });
  return starts && !isExplicit;
}

/// Returns the counters of asynchronous results for which the pass inserts the waits, because the program has no waits
/// for them.
static SmallVector<hk::AsyncCounter, 1> resultsToPlace(func::FuncOp function) {
  SmallVector<hk::AsyncCounter, 1> counters, written;
  function.walk([&](Operation *op) {
    if (auto results = dyn_cast<hk::AsyncResults>(op))
      if (!llvm::is_contained(counters, results.getCounterOfResults()))
        counters.push_back(results.getCounterOfResults());
    if (auto wait = dyn_cast<hk::AsyncWait>(op); wait && !wait.getImplied())
      llvm::append_range(written, wait.getAwaitedCounters());
  });
  llvm::erase_if(counters, [&](hk::AsyncCounter counter) { return llvm::is_contained(written, counter); });
  return counters;
}

static void eraseWaits(func::FuncOp function, ArrayRef<hk::AsyncCounter> counters) {
  SmallVector<Operation *> waits;
  function.walk([&](hk::AsyncWait wait) {
    if (llvm::any_of(wait.getAwaitedCounters(), [&](auto counter) { return llvm::is_contained(counters, counter); }))
      waits.push_back(wait);
  });
  for (Operation *wait : waits)
    wait->erase();
}

/// True if `op` comes from an early return and moves results to other registers: a select, or the end of a loop that
/// has one iteration. The user cannot write a wait before an operation that comes from an early return.
static bool isOfEarlyReturn(Operation *op) {
  if (isa<arith::SelectOp>(op))
    return movesResult(op);
  auto loop = isa<scf::YieldOp>(op) ? dyn_cast<scf::WhileOp>(op->getParentOp()) : scf::WhileOp();
  return loop && LoopEnd(loop).endsAtOnce();
}

/// Reports the first operation that certainly needs a wait and for which WitnessRuns finds an execution; succeeds if
/// there is no such operation.
static LogicalResult checkNeeds(func::FuncOp function, const AsyncUses &uses, ArrayRef<WaitNeed> needs,
                                ArrayRef<hk::AsyncCounter> placed) {
  const WaitNeed *first = nullptr;
  WitnessRuns witnesses(function);
  for (const WaitNeed &need : needs) {
    bool isError = need.isCertain && !llvm::is_contained(placed, need.counter) &&
                   !(need.isInRegisters && isOfEarlyReturn(need.op));
    bool isStronger = first && need.op == first->op && need.counter == first->counter && need.age < first->age;
    if (isError && (!first || isStronger) && witnesses.reach(uses.starts()[need.number].op, need.op, need.when))
      first = &need;
  }
  return first ? reportTooEarly(*first, uses.starts()[first->number].op) : success();
}

/// Removes and relaxes waits. Emits a remark for each changed wait, except waits that the pass has inserted (`placed`).
static void weakenWaits(func::FuncOp function, const llvm::SmallPtrSetImpl<Operation *> &placed, bool keepsWritten) {
  auto mayChange = [&](Operation *wait) {
    return placed.contains(wait) || cast<hk::AsyncWait>(wait).getImplied() ||
           (!keepsWritten && !isForGlobalWrites(function, cast<hk::AsyncWait>(wait)));
  };
  applyWeaker(findWeaker(function, mayChange), placed);
}

/// Records for each wait the two operations that would be unordered if the wait left one group more in flight.
static void recordWaits(func::FuncOp function, const AsyncUses &uses, const llvm::SmallPtrSetImpl<Operation *> &placed,
                        bool isStaged) {
  function.walk([&](hk::AsyncWait wait) {
    if (isStaged && !placed.contains(wait))
      return;
    std::optional<SmallVector<TrialNeed, 0>> found = WaitNeeds(function.getBody(), uses, wait).tryWithout(wait);
    SmallVector<TrialNeed, 0> needs = found.value_or(SmallVector<TrialNeed, 0>());
    SyncRecord record{.what = describeWait(wait), .at = wait->getLoc()};
    record.isWritten = !placed.contains(wait) && !wait.getImplied();
    auto *need = llvm::find_if(needs, [&](const TrialNeed &need) { return need.age == wait.getOutstanding() + 1; });
    bool isRight = need != needs.end();
    if (!isRight)
      need = needs.begin();
    if (need != needs.end()) {
      bool isUse = need->isInRegisters && !need->op->hasTrait<OpTrait::IsTerminator>();
      record.earlier = uses.starts()[need->number].op;
      record.later = need->op;
      record.laterWords = isUse ? "use of the result" : wordsFor(need->op);
    }
    if (isRight)
      record.why = "if it left one more group in flight, the " + record.laterWords + " could be executed before the " +
                   wordsFor(record.earlier) + " is complete";
    else if (need != needs.end())
      record.why = "it could leave one more group in flight; keep_waits keeps it as it is written";
    else if (found)
      record.why = "no operation needs it; keep_waits keeps it";
    else
      record.why = "unknown: the loops around it have too many combinations of iterations";
    recordSync(wait, record);
  });
}

template <typename OpT>
static bool contains(func::FuncOp function) {
  return function.walk([](OpT) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Places and checks the waits of `function`. In a function with stages, places only waits for results in registers.
static LogicalResult placeAndCheck(func::FuncOp function, bool isStaged, bool keepsWritten) {
  SmallVector<hk::AsyncCounter, 1> placed = resultsToPlace(function);
  if (isStaged && placed.empty())
    return success();
  takeResultsOutOfWaits(function, keepsWritten);
  eraseWaits(function, placed);
  bool hasResults = !placed.empty();
  if (!isStaged && areCopiesToPlace(function)) {
    placeCommits(function);
    placed.push_back(hk::kCopyGroups);
  }
  AsyncUses uses(function);
  if (uses.counters().empty())
    return success();
  SmallVector<WaitNeed, 0> needs = WaitNeeds(function.getBody(), uses, placed).find();
  if (hasResults) {
    joinGroups(function.getBody(), uses, needs, placed);
    needs = WaitNeeds(function.getBody(), uses, placed).find();
  }
  if (!isStaged && failed(checkNeeds(function, uses, needs, placed)))
    return failure();
  llvm::SmallPtrSet<Operation *, 4> placedWaits = placeWaits(needs, uses, placed);
  if (isStaged) // marks inserted waits as part of the stage with the wgmmas, not as waits between stages
    for (Operation *wait : placedWaits)
      cast<hk::AsyncWait>(wait).setImplied(true);
  weakenWaits(function, placedWaits, keepsWritten);
  AsyncUses left(function);
  recordWaits(function, left, placedWaits, isStaged);
  // `needs` is still valid: removing and relaxing waits has not caused other operations to need a wait.
  bool mayBeEarly = llvm::any_of(
      needs, [&](const WaitNeed &need) { return need.isInRegisters && !llvm::is_contained(placed, need.counter); });
  putResultsThroughWaits(function, left, mayBeEarly);
  return success();
}

static LogicalResult minimizeWaits(func::FuncOp function) {
  if (function.isExternal() || contains<hk::StageOp>(function))
    return success();
  bool isStaged = contains<hk::StageBeginOp>(function);
  bool keepsWritten = hk::kKeepWaitsAttr.isOn(function->getParentOp());
  if (failed(placeAndCheck(function, isStaged, isStaged || keepsWritten)))
    return failure();
  if (!isStaged)
    return success();
  llvm::SmallPtrSet<Operation *, 4> placed;
  if (areCopiesToPlace(function))
    placed = placeStagedWaits(function);
  weakenStagedWaits(function, placed, keepsWritten);
  return success();
}

namespace {
struct MinimizeWaitsPass : impl::MinimizeWaitsBase<MinimizeWaitsPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())) || failed(requireKnownOrigins(getOperation())))
      return signalPassFailure();
    // checkPhases runs first: a missing wait for an mbarrier can also cause an error about a missing wait for a
    // counter.
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkPhases(function)) || failed(minimizeWaits(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
