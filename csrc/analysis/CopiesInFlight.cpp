//===- CopiesInFlight.cpp - Which copies are in flight where a warp pipeline begins -===//
#include "analysis/CopiesInFlight.h"

#include "analysis/RingSlots.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

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
    walk(region, PendingAccesses(copies.size(), maxOutstanding));
}

SmallVector<CopyInFlight> CopiesInFlight::before(const WarpPipeline &pipeline) const {
  SmallVector<CopyInFlight> found;
  auto isOlder = [](const CopyInFlight &a, const CopyInFlight &b) { return a.age > b.age; };
  Operation *begin = pipeline.firstOp();
  // What the continued loop has copied are copies of earlier iterations of this one.
  if (scf::ForOp first = pipeline.loop ? continuedLoop(pipeline.loop) : scf::ForOp(); first && states.contains(first))
    begin = first;
  const std::optional<PendingAccesses> &state = states.at(begin);
  if (state)
    for (auto [op, number] : copies)
      if (std::optional<unsigned> age = state->youngestAge(number)) {
        CopyInFlight copy{op, *age, state->mayBeOfEarlierIteration(number)};
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

/// A loop may be left in front of any of its regions.
PendingAccesses CopiesInFlight::walkLoop(Operation &op, PendingAccesses state) {
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
