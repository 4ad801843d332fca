//===- CopiesInFlight.cpp - Which copies are in flight where a warp pipeline begins -===//
#include "analysis/warp_pipeline/CopiesInFlight.h"

#include "analysis/shared/RingSlots.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

/// Loops that certainly run no oftener than this are walked as often. So many groups are also told apart beyond those
/// that any wait leaves in flight.
static constexpr int64_t kCountedTrips = 16;

CopiesInFlight::CopiesInFlight(Operation *function, ArrayRef<WarpPipeline> pipelines) {
  unsigned maxOutstanding = 0;
  function->walk([&](Operation *op) {
    if (isa<hk::AsyncCopy>(op))
      copies.insert({op, copies.size()});
    if (auto wait = dyn_cast<hk::AsyncWaitGroupOp>(op))
      maxOutstanding = std::max<unsigned>(maxOutstanding, wait.getOutstanding());
  });
  for (const WarpPipeline &pipeline : pipelines)
    states[pipeline.firstOp()];
  for (Region &region : function->getRegions())
    walk(region, PendingAccesses(copies.size(), maxOutstanding + kCountedTrips));
}

/// How often `loop` runs, if that is known.
static std::optional<int64_t> tripsOf(scf::ForOp loop) {
  APInt lower, upper, step;
  if (loop.getUnsignedCmp() || !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  int64_t length = upper.getSExtValue() - lower.getSExtValue(), stride = step.getSExtValue();
  return stride <= 0 || length <= 0 ? 0 : (length + stride - 1) / stride;
}

/// Commits of each iteration; nothing if that may differ.
static std::optional<unsigned> countCommits(scf::ForOp loop, Operation *behind) {
  unsigned commits = 0;
  bool isBehind = !behind, isKnown = true;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    isBehind |= op == behind;
    if (!isa<hk::AsyncCommitGroupOp>(op))
      return;
    commits += isBehind;
    Operation *parent = op->getParentOp();
    isKnown &= parent == loop || (isa<hk::StageOp>(parent) && parent->getParentOp() == loop);
  });
  return isKnown ? std::optional(commits) : std::nullopt;
}

/// Finds the iteration in which `copy` was issued, if a loop has done it that ran just before `begin`.
static void findIteration(CopyInFlight &copy, Operation *begin) {
  auto loop = dyn_cast_or_null<scf::ForOp>(copy.op->getParentOfType<LoopLikeOpInterface>().getOperation());
  Operation *between = begin->getPrevNode();
  while (between && between != loop && between->getNumRegions() == 0 && !isa<hk::AsyncCommitGroupOp>(between))
    between = between->getPrevNode();
  if (!loop || between != loop)
    return;
  std::optional<int64_t> trips = tripsOf(loop);
  std::optional<unsigned> each = countCommits(loop, nullptr), own = countCommits(loop, copy.op);
  if (!trips || !each || *each == 0 || copy.age < *own || (copy.age - *own) % *each != 0)
    return;
  // Of a run before this one there are more commits since.
  int64_t iteration = *trips - 1 - (copy.age - *own) / *each;
  if (iteration < 0)
    return;
  copy.loop = loop;
  copy.iteration = iteration;
}

SmallVector<CopyInFlight> CopiesInFlight::before(const WarpPipeline &pipeline) const {
  SmallVector<CopyInFlight> found;
  auto isOlder = [](const CopyInFlight &a, const CopyInFlight &b) { return a.age > b.age; };
  Operation *begin = pipeline.firstOp();
  // What the continued loop has copied are copies of earlier iterations of this one.
  if (scf::ForOp first = pipeline.loop ? continuedLoop(pipeline.loop) : scf::ForOp(); first && states.contains(first))
    begin = first;
  const std::optional<PendingAccesses> &state = states.at(begin);
  if (!state)
    return found;
  for (auto [op, number] : copies)
    for (unsigned age : state->agesInFlight(number)) {
      CopyInFlight copy{op, age, state->mayBeOfEarlierIteration(number)};
      if (age < state->lastAge())
        findIteration(copy, begin);
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
  if (auto copy = copies.find(&op); copy != copies.end())
    state.issueCopy(copy->second);
  if (isa<hk::AsyncCommitGroupOp>(op))
    state.commit();
  if (auto wait = dyn_cast<hk::AsyncWaitGroupOp>(op))
    state.wait(wait.getOutstanding());
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

/// A loop may be left in front of any of its regions.
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
