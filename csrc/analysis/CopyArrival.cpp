//===- CopyArrival.cpp - Where asynchronous copies of a warp pipeline have arrived -===//
#include "analysis/CopyArrival.h"

using namespace mlir;

namespace hocket {

/// Commits of a stage, in whole or behind an operation of it. Those in branches may not take place and do not count:
/// with more commits a copy arrives earlier.
static unsigned countCommits(hk_amd::StageOp stage, Operation *behind) {
  unsigned commits = 0;
  for (Operation &op : stage.getBody().front())
    commits += isa<hk::AsyncCommitGroupOp>(op) && (!behind || behind->isBeforeInBlock(&op));
  return commits;
}

static unsigned mostOutstanding(const WarpPipeline &pipeline) {
  unsigned most = 0;
  for (Operation *op : pipeline.waits)
    if (auto wait = dyn_cast_or_null<hk::AsyncWaitGroupOp>(op))
      most = std::max<unsigned>(most, wait.getOutstanding());
  return most;
}

std::optional<CopyArrival> findArrival(const WarpPipeline &pipeline, unsigned stage, Operation *copy) {
  unsigned count = pipeline.numStages();
  hk_amd::StageOp issuer = pipeline.stages[stage];
  // Each iteration that commits at all brings one commit or more.
  int64_t end = pipeline.loop ? int64_t(count) * (mostOutstanding(pipeline) + 3) : int64_t(count) - stage;
  unsigned commits = countCommits(issuer, issuer.getBody().front().findAncestorOpInBlock(*copy));
  for (int64_t later = 1; later < end; ++later) {
    unsigned slot = (stage + later) % count;
    // The first commit is that of the copy itself.
    auto wait = dyn_cast_or_null<hk::AsyncWaitGroupOp>(pipeline.waits[slot]);
    if (wait && commits > wait.getOutstanding())
      return CopyArrival{later, wait};
    commits += countCommits(pipeline.stages[slot], nullptr);
  }
  return std::nullopt;
}

} // namespace hocket
