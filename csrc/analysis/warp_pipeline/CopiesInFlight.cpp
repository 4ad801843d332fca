//===- CopiesInFlight.cpp - Copies in flight at the start of a warp pipeline --------===//
#include "analysis/warp_pipeline/CopiesInFlight.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

/// Maximum trip count of loops that are walked iteration by iteration. Ages of copies (numbers of commits since a copy)
/// are exact up to this number plus the largest number of groups that a wait leaves in flight.
static constexpr int64_t kCountedTrips = 16;

CopiesInFlight::CopiesInFlight(Operation *function, ArrayRef<WarpPipeline> pipelines) {
  function->walk([&](Operation *op) { number(op); });
  for (const WarpPipeline &pipeline : pipelines)
    states[pipeline.firstOp()];
  for (Region &region : function->getRegions())
    walk(region, PendingAccesses(starts.size(), countersOf(function), kCountedTrips));
}

void CopiesInFlight::number(Operation *op) {
  auto async = dyn_cast<hk::AsyncAccess>(op);
  if (!async)
    return;
  SmallVector<unsigned, 1> &own = startsOf[op];
  for (Value operand : op->getOperands()) {
    auto counter = isa<hk::MemDescType>(operand.getType()) ? async.getCompletionOf(operand).getCounter() : std::nullopt;
    if (!counter || llvm::any_of(own, [&](unsigned number) { return starts[number].counter == *counter; }))
      continue;
    own.push_back(starts.size());
    starts.push_back({op, *counter});
  }
}

/// Returns the trip count of `loop`; nullopt if the trip count is unknown.
static std::optional<int64_t> tripsOf(scf::ForOp loop) {
  APInt lower, upper, step;
  if (loop.getUnsignedCmp() || !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  int64_t length = upper.getSExtValue() - lower.getSExtValue(), stride = step.getSExtValue();
  return stride <= 0 || length <= 0 ? 0 : (length + stride - 1) / stride;
}

/// Returns the number of commits on `counter` in one iteration; nullopt if the number may differ between iterations.
/// If `first` is not null, counts only the commits from `first` on.
static std::optional<unsigned> countCommits(scf::ForOp loop, hk::AsyncCounter counter, Operation *first) {
  unsigned commits = 0;
  bool isCounted = !first, isKnown = true;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    isCounted |= op == first;
    if (!hk::commitsOn(op, counter))
      return;
    commits += isCounted;
    Operation *parent = op->getParentOp();
    isKnown &= parent == loop || (isa<hk::StageOp>(parent) && parent->getParentOp() == loop);
  });
  return isKnown ? std::optional(commits) : std::nullopt;
}

/// Returns the loop that ends before `begin`, if no commit on `counter` is between the loop and `begin`; null
/// otherwise. The loop precedes `begin`, or an scf.if around `begin`, in the same block.
static scf::ForOp loopBefore(Operation *begin, hk::AsyncCounter counter) {
  for (Operation *op = begin;;) {
    while (!op->getPrevNode() && isa<scf::IfOp>(op->getParentOp()))
      op = op->getParentOp();
    op = op->getPrevNode();
    if (!op || op->getNumRegions() > 0 || hk::commitsOn(op, counter))
      return dyn_cast_or_null<scf::ForOp>(op);
  }
}

/// Returns the number of commits from `copy` to a later `loop` in the same block, including the copy's own commit;
/// nullopt if the number may differ between executions.
static std::optional<unsigned> countCommitsUpTo(scf::ForOp loop, const CopyInFlight &copy) {
  if (copy.op->getBlock() != loop->getBlock() || !copy.op->isBeforeInBlock(loop))
    return std::nullopt;
  unsigned commits = 0;
  for (Operation *op = copy.op; op != loop; op = op->getNextNode()) {
    auto commitsInside = [&](Operation *inner) {
      return WalkResult(failure(inner != op && hk::commitsOn(inner, copy.counter)));
    };
    if (op->walk(commitsInside).wasInterrupted())
      return std::nullopt;
    commits += hk::commitsOn(op, copy.counter);
  }
  return commits;
}

/// True if executions of `copy` from earlier iterations of the loops around `loop` are certainly not in flight when
/// `loop` starts.
bool CopiesInFlight::isOnlyOfRun(const CopyInFlight &copy, unsigned number, scf::ForOp loop) const {
  auto found = states.find(loop);
  if (found == states.end() || !found->second)
    return false;
  bool isBefore = !loop->isProperAncestor(copy.op);
  SmallVector<unsigned, 2> ages = found->second->agesInFlight(number, copy.counter);
  return isBefore ? ages.size() == 1 && !found->second->mayBeOfEarlierIteration(number) : ages.empty();
}

/// Sets `copy.loop` and `copy.iteration` if the loop that ends before `begin` contains the copy. If the copy precedes
/// this loop, sets `copy.passed` and `copy.trips`.
void CopiesInFlight::findIteration(CopyInFlight &copy, unsigned number, Operation *begin) const {
  scf::ForOp loop = loopBefore(begin, copy.counter);
  std::optional<unsigned> each = loop ? countCommits(loop, copy.counter, nullptr) : std::nullopt;
  if (!each || *each == 0)
    return;
  bool isInLoop = copy.op->getParentOfType<LoopLikeOpInterface>().getOperation() == loop;
  std::optional<unsigned> own = isInLoop ? countCommits(loop, copy.counter, copy.op) : countCommitsUpTo(loop, copy);
  if (!own || copy.age < *own || (copy.age - *own) % *each != 0)
    return;
  int64_t since = (copy.age - *own) / *each;
  std::optional<int64_t> trips = tripsOf(loop);
  bool isOfRun = isOnlyOfRun(copy, number, loop);
  if (isOfRun)
    copy.isOfEarlierIteration = false;
  if (!isInLoop) {
    copy.passed = isOfRun ? loop : scf::ForOp();
    copy.trips = since;
    return;
  }
  // If the loop has committed fewer groups than the age of the copy requires, the copy is from an earlier execution of
  // the loop.
  if (trips ? *trips - 1 - since < 0 : !isOfRun)
    return;
  copy.loop = loop;
  copy.iteration = trips ? RingIndex::ofConstant(*trips) : RingIndex::ofTrips(loop);
  copy.iteration += RingIndex::ofConstant(-1 - since);
}

SmallVector<CopyInFlight> CopiesInFlight::before(const WarpPipeline &pipeline) const {
  SmallVector<CopyInFlight> found;
  auto isOlder = [](const CopyInFlight &a, const CopyInFlight &b) { return a.age > b.age; };
  Operation *begin = pipeline.firstOp();
  // If the pipeline continues another loop (hk.series), returns the copies in flight at the start of the other loop:
  // copies that the other loop starts are treated as copies of earlier iterations of the pipeline.
  if (scf::ForOp first = pipeline.loop ? continuedLoop(pipeline.loop) : scf::ForOp(); first && states.contains(first))
    begin = first;
  const std::optional<PendingAccesses> &state = states.at(begin);
  if (!state)
    return found;
  for (auto [number, start] : llvm::enumerate(starts))
    for (unsigned age : state->agesInFlight(number, start.counter)) {
      CopyInFlight copy{start.op, start.counter, age, state->mayBeOfEarlierIteration(number)};
      if (age < state->lastAge(start.counter))
        findIteration(copy, number, begin);
      found.insert(llvm::upper_bound(found, copy, isOlder), copy);
    }
  return found;
}

PendingAccesses CopiesInFlight::walk(Region &region, PendingAccesses state) {
  for (Block &block : region)
    for (Operation &op : block)
      state = walk(op, std::move(state));
  return state;
}

PendingAccesses CopiesInFlight::walk(Operation &op, PendingAccesses state) {
  if (auto found = states.find(&op); found != states.end()) {
    if (found->second)
      *found->second |= state;
    else
      found->second = state;
  }
  state.waitFor(&op);
  for (unsigned number : startsOf.lookup(&op))
    state.start(number, starts[number].counter);
  state.commitFor(&op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    PendingAccesses afterThen = walk(branch.getThenRegion(), state);
    state = walk(branch.getElseRegion(), std::move(state));
    return state |= afterThen;
  }
  if (isa<LoopLikeOpInterface>(op))
    return walkLoop(op, std::move(state));
  for (Region &region : op.getRegions())
    state = walk(region, std::move(state));
  return state;
}

PendingAccesses CopiesInFlight::walkIterations(scf::ForOp loop, int64_t count, PendingAccesses state) {
  for (int64_t iteration = 0; iteration < count; ++iteration) {
    state.startIteration();
    state = walk(loop.getRegion(), std::move(state));
  }
  state.startIteration();
  return state;
}

/// Returns the state after the loop `op`, which may have no iterations.
PendingAccesses CopiesInFlight::walkLoop(Operation &op, PendingAccesses state) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (std::optional<int64_t> trips = tripsOf(loop); trips && *trips <= kCountedTrips)
      return walkIterations(loop, *trips, std::move(state));
  state.startIteration();
  for (;;) {
    PendingAccesses left = state, next = state;
    for (Region &region : op.getRegions()) {
      next = walk(region, std::move(next));
      left |= next;
    }
    left.startIteration();
    next.startIteration();
    if (next.isWithin(state))
      return left;
    state |= next;
  }
}

} // namespace hocket
