//===- CopyArrival.cpp - Arrival of asynchronous copies in a warp pipeline ---------===//
#include "analysis/warp_pipeline/CopyArrival.h"

using namespace mlir;

namespace hocket {

/// Maximum number of groups in flight that the analysis considers. No hardware counter counts more groups than this
/// (vmcnt has 6 bits). A wait that leaves more groups in flight is assumed to cover no copy.
static constexpr unsigned kMostOutstanding = 63;

static unsigned countCommits(Block::iterator begin, Block::iterator end, hk::AsyncCounter counter) {
  return llvm::count_if(llvm::make_range(begin, end), [&](Operation &op) { return hk::commitsOn(&op, counter); });
}

/// Returns a lower bound of the number of commits in `stage`. Commits in branches do not count, because a branch may
/// not be executed. A commit that is executed but not counted only makes a copy arrive earlier.
static unsigned countCommits(hk::StageOp stage, hk::AsyncCounter counter) {
  Block &body = stage.getBody().front();
  return countCommits(body.begin(), body.end(), counter);
}

/// Returns a lower bound of the number of commits after `copy` in its stage. Commits in the branches around the copy
/// count, because these branches are executed together with the copy.
static unsigned countCommitsFrom(const StageAccess &copy) {
  unsigned commits = hk::commitsOn(copy.op, *copy.getCounter());
  for (Operation *op = copy.op; !isa<hk::StageOp>(op); op = op->getParentOp())
    commits += countCommits(std::next(Block::iterator(op)), op->getBlock()->end(), *copy.getCounter());
  return commits;
}

/// Returns the first wait for asynchronous results in [begin, end) that covers a copy; null if there is none. On entry,
/// `commits` is the number of commits between the copy and `begin`. On return, `commits` also includes the commits
/// before the wait.
static Operation *findResultWait(Block::iterator begin, Block::iterator end, hk::AsyncCounter counter,
                                 unsigned &commits) {
  for (Operation &op : llvm::make_range(begin, end)) {
    std::optional<unsigned> outstanding = isResultWait(&op) ? hk::outstandingOn(&op, counter) : std::nullopt;
    if (outstanding && commits > *outstanding)
      return &op;
    commits += hk::commitsOn(&op, counter);
  }
  return nullptr;
}

static Operation *findResultWait(hk::StageOp stage, hk::AsyncCounter counter, unsigned &commits) {
  Block &body = stage.getBody().front();
  return findResultWait(body.begin(), body.end(), counter, commits);
}

/// Returns the first wait for asynchronous results that follows `copy` in its stage and covers the copy.
static Operation *findResultWaitAfter(const StageAccess &copy, unsigned &commits) {
  commits += hk::commitsOn(copy.op, *copy.getCounter());
  for (Operation *op = copy.op; !isa<hk::StageOp>(op); op = op->getParentOp())
    if (Operation *wait =
            findResultWait(std::next(Block::iterator(op)), op->getBlock()->end(), *copy.getCounter(), commits))
      return wait;
  return nullptr;
}

/// Returns the number of groups that the wait in `slot` leaves in flight on `counter`; nullopt if `slot` has no wait on
/// `counter`.
static std::optional<unsigned> outstandingAt(const WarpPipeline &pipeline, unsigned slot, hk::AsyncCounter counter) {
  Operation *wait = pipeline.waits[slot];
  return wait ? hk::outstandingOn(wait, counter) : std::nullopt;
}

/// Returns the maximum number of groups that a wait of the pipeline leaves in flight on `counter`, limited to
/// kMostOutstanding.
static unsigned mostOutstanding(const WarpPipeline &pipeline, hk::AsyncCounter counter) {
  unsigned most = 0;
  for (unsigned slot = 0; slot < pipeline.numStages(); ++slot)
    most = std::max(most, outstandingAt(pipeline, slot, counter).value_or(0));
  for (hk::StageOp stage : pipeline.stages)
    for (Operation &op : stage.getBody().front())
      most = std::max(most, hk::outstandingOn(&op, counter).value_or(0));
  return std::min(most, kMostOutstanding);
}

/// Returns the number of slots after which the search for the first wait that covers a copy can stop. If each iteration
/// commits, a wait that ever covers the copy covers it within this number of slots, because the number of commits grows
/// in each iteration.
static int64_t searchedSlots(const WarpPipeline &pipeline, hk::AsyncCounter counter) {
  return int64_t(pipeline.numStages()) * (mostOutstanding(pipeline, counter) + 3);
}

unsigned commitsSince(const WarpPipeline &pipeline, const StageAccess &copy, int64_t stagesLater) {
  unsigned commits = countCommitsFrom(copy);
  for (int64_t later = 1; later < stagesLater; ++later)
    commits += countCommits(pipeline.stages[(copy.stage + later) % pipeline.numStages()], *copy.getCounter());
  return commits;
}

std::optional<CopyArrival> findArrival(const WarpPipeline &pipeline, const StageAccess &copy) {
  unsigned count = pipeline.numStages();
  int64_t end = pipeline.loop ? searchedSlots(pipeline, *copy.getCounter()) : int64_t(count) - copy.stage;
  // `commits` includes the commit of the copy's own group.
  unsigned commits = 0;
  if (Operation *wait = findResultWaitAfter(copy, commits))
    return CopyArrival{1, wait};
  for (int64_t later = 1; later < end; ++later) {
    unsigned slot = (copy.stage + later) % count;
    std::optional<unsigned> outstanding = outstandingAt(pipeline, slot, *copy.getCounter());
    if (outstanding && commits > *outstanding)
      return CopyArrival{later, pipeline.waits[slot]};
    if (Operation *wait = findResultWait(pipeline.stages[slot], *copy.getCounter(), commits))
      return CopyArrival{later + 1, wait};
  }
  return std::nullopt;
}

std::optional<EntryArrival> findEntryArrival(const WarpPipeline &pipeline, hk::AsyncCounter counter, unsigned commits) {
  unsigned count = pipeline.numStages();
  int64_t end = pipeline.loop ? searchedSlots(pipeline, counter) : int64_t(count);
  for (int64_t slot = pipeline.isSlotZeroAtTop ? 0 : 1; slot < end; ++slot) {
    if (slot > 0)
      if (Operation *wait = findResultWait(pipeline.stages[(slot - 1) % count], counter, commits))
        return EntryArrival{slot, wait};
    std::optional<unsigned> outstanding = outstandingAt(pipeline, slot % count, counter);
    if (outstanding && commits > *outstanding)
      return EntryArrival{slot, pipeline.waits[slot % count]};
  }
  return std::nullopt;
}

} // namespace hocket
