//===- CopyArrival.cpp - Where asynchronous copies of a warp pipeline have arrived -===//
#include "analysis/warp_pipeline/CopyArrival.h"

using namespace mlir;

namespace hocket {

/// vmcnt, which counts copies in flight, has 6 bits. Waits that leave more groups than that cover nothing for us.
static constexpr unsigned kMostOutstanding = 63;

static unsigned countCommits(Block::iterator begin, Block::iterator end) {
  return llvm::count_if(llvm::make_range(begin, end), llvm::IsaPred<hk::AsyncCommitGroupOp>);
}

/// Those in branches may not take place and do not count: with more commits a copy arrives earlier.
static unsigned countCommits(hk::StageOp stage) {
  Block &body = stage.getBody().front();
  return countCommits(body.begin(), body.end());
}

/// In the stage of `copy`, behind it. In branches around the copy, which do take place then, these count.
static unsigned countCommitsBehind(Operation *copy) {
  unsigned commits = 0;
  for (Operation *op = copy; !isa<hk::StageOp>(op); op = op->getParentOp())
    commits += countCommits(std::next(Block::iterator(op)), op->getBlock()->end());
  return commits;
}

/// At most kMostOutstanding.
static unsigned mostOutstanding(const WarpPipeline &pipeline) {
  unsigned most = 0;
  for (Operation *op : pipeline.waits)
    if (auto wait = dyn_cast_or_null<hk::AsyncWaitGroupOp>(op))
      most = std::max<unsigned>(most, wait.getOutstanding());
  return std::min(most, kMostOutstanding);
}

/// Each iteration that commits at all brings one commit or more: beyond so many slots of a loop no wait is the first.
static int64_t searchedSlots(const WarpPipeline &pipeline) {
  return int64_t(pipeline.numStages()) * (mostOutstanding(pipeline) + 3);
}

unsigned commitsSince(const WarpPipeline &pipeline, unsigned stage, Operation *copy, int64_t stagesLater) {
  unsigned commits = countCommitsBehind(copy);
  for (int64_t later = 1; later < stagesLater; ++later)
    commits += countCommits(pipeline.stages[(stage + later) % pipeline.numStages()]);
  return commits;
}

std::optional<CopyArrival> findArrival(const WarpPipeline &pipeline, unsigned stage, Operation *copy) {
  unsigned count = pipeline.numStages();
  int64_t end = pipeline.loop ? searchedSlots(pipeline) : int64_t(count) - stage;
  for (int64_t later = 1; later < end; ++later) {
    auto wait = dyn_cast_or_null<hk::AsyncWaitGroupOp>(pipeline.waits[(stage + later) % count]);
    // The first commit is that of the copy itself.
    if (wait && commitsSince(pipeline, stage, copy, later) > wait.getOutstanding())
      return CopyArrival{later, wait};
  }
  return std::nullopt;
}

std::optional<EntryArrival> findEntryArrival(const WarpPipeline &pipeline, unsigned commits) {
  unsigned count = pipeline.numStages();
  int64_t end = pipeline.loop ? searchedSlots(pipeline) : int64_t(count);
  for (int64_t slot = pipeline.isSlotZeroAtTop ? 0 : 1; slot < end; ++slot) {
    if (slot > 0)
      commits += countCommits(pipeline.stages[(slot - 1) % count]);
    auto wait = dyn_cast_or_null<hk::AsyncWaitGroupOp>(pipeline.waits[slot % count]);
    if (wait && commits > wait.getOutstanding())
      return EntryArrival{slot, wait};
  }
  return std::nullopt;
}

} // namespace hocket
