//===- AsyncSteps.cpp - Selects operations that concern given asynchronous accesses -----------===//
#include "transforms/minimize_waits/AsyncSteps.h"

using namespace mlir;

namespace hocket {

namespace {
class StepBuilder {
public:
  StepBuilder(const AsyncUses &uses, const llvm::BitVector &isFollowed) : uses(uses), isFollowed(isFollowed) {
    for (unsigned number : isFollowed.set_bits())
      if (!llvm::is_contained(counters, uses.starts()[number].counter))
        counters.push_back(uses.starts()[number].counter);
  }

  std::vector<AsyncStep> build(Region &region) const;

private:
  /// Returns the AsyncStep of `op`, with an empty member `regions`.
  AsyncStep stepOf(Operation &op) const;
  AsyncStep::Counters followed(ArrayRef<hk::AsyncCounter> all) const {
    auto isCounter = [&](hk::AsyncCounter counter) { return llvm::is_contained(counters, counter); };
    return AsyncStep::Counters(llvm::make_filter_range(all, isCounter));
  }

  const AsyncUses &uses;
  const llvm::BitVector &isFollowed;
  AsyncStep::Counters counters;
};
} // namespace

AsyncStep StepBuilder::stepOf(Operation &op) const {
  AsyncStep step;
  step.op = &op;
  if (!uses.concerns(&op))
    return step;
  for (unsigned number : uses.startsOf(&op))
    if (isFollowed[number])
      step.starts.push_back(number);
  step.hasStarts = !step.starts.empty();
  step.mayConflict = isFollowed.anyCommon(uses.startsInConflictWith(&op));
  if (auto wait = dyn_cast<hk::AsyncWait>(op))
    step.awaited = followed(wait.getAwaitedCounters());
  if (auto commit = dyn_cast<hk::AsyncCommit>(op))
    step.committed = followed(commit.getCommittedCounters());
  if (auto arrival = dyn_cast<hk::AsyncArrival>(op))
    step.handedOver = followed(arrival.getArrivingCounter());
  return step;
}

std::vector<AsyncStep> StepBuilder::build(Region &region) const {
  std::vector<AsyncStep> steps;
  for (Operation &op : region.getOps()) {
    AsyncStep step = stepOf(op);
    bool isStep = step.hasStarts || step.mayConflict || !step.awaited.empty() || !step.committed.empty() ||
                  !step.handedOver.empty();
    for (Region &inner : op.getRegions()) {
      std::vector<AsyncStep> &within = step.regions.emplace_back(build(inner));
      step.hasStarts |= llvm::any_of(within, [](const AsyncStep &step) { return step.hasStarts; });
      isStep |= !within.empty();
    }
    if (isStep)
      steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<AsyncStep> asyncSteps(Region &region, const AsyncUses &uses, const llvm::BitVector &isFollowed) {
  return StepBuilder(uses, isFollowed).build(region);
}

} // namespace hocket
