//===- AsyncCopies.cpp - The plan for asynchronous copies ----------------------------===//
//
//     copy      async copy %p -> %tile        N - 1 ahead
//               hk.async_commit_group
//     wait      hk.async_wait_group           up to here before `copy`: the barrier that comes before copies are
//     compute   %a = hk.local_load %tile      started, since slots are used again, then also shows all warps what
//               %d = hk.dot_fma %a, ..        each has waited for
//
//===------------------------------------------------------------------------------===//
#include "transforms/prefetch/PlanSteps.h"

using namespace mlir;

namespace hocket::prefetch {

namespace {
/// The operations of the body that have to do with asynchronous copies.
struct AsyncOps {
  Roots copies, commits;
  llvm::SmallVector<hk::AsyncWaitGroupOp> waits;
};
} // namespace

static AsyncOps findAsyncOps(const BodyAccesses &body) {
  AsyncOps found;
  for (auto &[op, accesses] : body) {
    if (isa<hk::AsyncCopy>(op))
      found.copies.push_back(op);
    if (isa<hk::AsyncCommitGroupOp>(op))
      found.commits.push_back(op);
    if (auto wait = dyn_cast<hk::AsyncWaitGroupOp>(op))
      found.waits.push_back(wait);
  }
  return found;
}

/// Each iteration must start its copies, commit them, and wait for all of them.
static std::optional<Refusal> checkGroups(const AsyncOps &async) {
  if (async.commits.empty() || async.commits.back()->isBeforeInBlock(async.copies.back()))
    return Refusal{async.copies.back(), "it does not commit its copies to a group",
                   "call commit_group() behind the last copy"};
  if (async.waits.empty())
    return Refusal{async.copies.front(), "it does not wait for its copies"};
  int64_t groups = async.commits.size(), finished = 0;
  for (hk::AsyncWaitGroupOp wait : async.waits) {
    if (wait->isBeforeInBlock(async.commits.back()))
      return Refusal{wait, "it waits before it has started its copies", "copy, commit, then wait"};
    int64_t outstanding = wait.getOutstanding();
    if (outstanding > groups)
      return Refusal{wait, "it has copies of other iterations in flight already", "wait for all: wait_group(0)"};
    finished = std::max(finished, groups - outstanding);
  }
  if (finished < groups)
    return Refusal{async.waits.back(), "it has copies of other iterations in flight already",
                   "wait for all: wait_group(0)"};
  return std::nullopt;
}

/// Copies come before what an iteration computes, and before its waits.
static std::optional<Refusal> checkCopies(const PipelineStage &copy, const Roots &others, const BodyAccesses &body) {
  for (Operation *op : copy.ops) {
    Accesses accesses = body.lookup(op);
    if (!accesses.isAsync && !accesses.isNothing() && !accesses.onlyReadsGlobal())
      return Refusal{op, "what it copies depends on what it reads from shared memory"};
    if (isa<hk::AsyncCopy>(op))
      for (Operation *other : others)
        if (other->isBeforeInBlock(op) && mayShareBuffer(other, op))
          return Refusal{op, "it accesses the buffer before it copies to it", "copy at the start of an iteration"};
  }
  return std::nullopt;
}

std::variant<PipelinePlan, Refusal> planAsyncCopies(scf::ForOp loop, const BodyAccesses &body, int64_t numStages) {
  AsyncOps async = findAsyncOps(body);
  if (std::optional<Refusal> why = checkGroups(async))
    return *why;
  Roots started = async.copies, untilWait, others;
  started.append(async.commits);
  for (auto &[op, accesses] : body) {
    if (!hasPlace(op, accesses) || llvm::is_contained(started, op))
      continue;
    bool isEarly = op == async.waits.front() || op->isBeforeInBlock(async.waits.front());
    (isEarly ? untilWait : others).push_back(op);
  }
  PipelineStage copy = makeStage(loop, numStages - 1, started, {});
  PipelineStage wait = makeStage(loop, 0, untilWait, {}), compute = makeStage(loop, 0, others, {});
  addResults(compute, loop, {});
  Roots all = untilWait;
  all.append(others);
  if (std::optional<Refusal> why = checkCopies(copy, all, body))
    return *why;
  PipelinePlan plan{.loop = loop, .writes = async.copies, .isAsync = true, .groups = int64_t(async.commits.size())};
  plan.stages.push_back(std::move(wait));
  plan.stages.push_back(std::move(copy));
  plan.stages.push_back(std::move(compute));
  return plan;
}

} // namespace hocket::prefetch
