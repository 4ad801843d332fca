//===- AsyncCopies.cpp - Plans the prefetch of asynchronous copies -------------------===//
//
//     copy      async copy %p -> %tile        N - 1 iterations ahead
//               hk.async_commit_group
//     wait      hk.async_wait_group           `copy` is after this wait and a barrier, because copies reuse slots. The
//     compute   %a = hk.local_load %tile      barrier also makes the copies for which each warp has waited visible to
//               %d = hk.dot_fma %a, ...       all warps
//
//===------------------------------------------------------------------------------===//
#include "transforms/prefetch/PlanSteps.h"

using namespace mlir;

namespace hocket::prefetch {

namespace {
/// The operations of the body that use one counter of commit groups. The counter counts copies if an operation in
/// `starts` fills a tile.
struct CounterOps {
  hk::AsyncCounter counter;
  Roots starts, copies, commits;
  llvm::SmallVector<hk::AsyncWait> waits;
};
} // namespace

static SmallVector<CounterOps, 2> findCounterOps(const BodyAccesses &body) {
  SmallVector<CounterOps, 2> found;
  auto of = [&](hk::AsyncCounter counter) -> CounterOps & {
    auto known = llvm::find_if(found, [&](const CounterOps &ops) { return ops.counter == counter; });
    return known != found.end() ? *known : found.emplace_back(CounterOps{counter, {}, {}, {}, {}});
  };
  for (auto &[op, accesses] : body) {
    SmallVector<Operation *, 1> started = copiesInBranch(op);
    if (isa<hk::AsyncAccess>(op))
      started.push_back(op);
    for (Operation *one : started)
      for (Value operand : one->getOperands())
        if (std::optional<hk::AsyncCounter> counter = cast<hk::AsyncAccess>(one).getCompletionOf(operand).getCounter())
          if (Roots &starts = of(*counter).starts; !llvm::is_contained(starts, op))
            starts.push_back(op);
    if (std::optional<hk::AsyncCounter> counter = completionOfFill(op).getCounter())
      of(*counter).copies.push_back(op);
    if (auto commit = dyn_cast<hk::AsyncCommit>(op))
      for (hk::AsyncCounter counter : commit.getCommittedCounters())
        of(counter).commits.push_back(op);
    if (auto wait = dyn_cast<hk::AsyncWait>(op))
      for (hk::AsyncCounter counter : wait.getAwaitedCounters())
        of(counter).waits.push_back(wait);
  }
  return found;
}

std::optional<Refusal> checkCompletions(const BodyAccesses &body) {
  for (auto &[op, accesses] : body)
    if (completionOfFill(op).getPhase())
      return Refusal{op, "its copies complete with phases of an mbarrier",
                     "issue them in an earlier iteration, into a ring of buffers with an mbarrier for each buffer"};
  return std::nullopt;
}

/// Checks that each iteration starts copies, commits these copies, and waits for all committed copies.
static std::optional<Refusal> checkGroups(const CounterOps &ops) {
  auto isAfterCommits = [&](Operation *op) { return !ops.commits.empty() && ops.commits.back()->isBeforeInBlock(op); };
  if (ops.commits.empty() || isAfterCommits(ops.copies.back()))
    return Refusal{ops.copies.back(), "it does not commit its copies to a group",
                   "call commit_group() after the last copy"};
  if (ops.waits.empty())
    return Refusal{ops.copies.front(), "it does not wait for its copies"};
  int64_t groups = ops.commits.size(), finished = 0;
  for (hk::AsyncWait wait : ops.waits) {
    if (!isAfterCommits(wait))
      return Refusal{wait, "it waits before it has started its copies", "copy, commit, then wait"};
    int64_t outstanding = wait.getOutstanding();
    if (outstanding > groups)
      return Refusal{wait, "it has copies of other iterations in flight already", "wait for all: wait_group(0)"};
    finished = std::max(finished, groups - outstanding);
  }
  if (finished < groups)
    return Refusal{ops.waits.back(), "it has copies of other iterations in flight already",
                   "wait for all: wait_group(0)"};
  return std::nullopt;
}

/// Checks that asynchronous accesses other than copies complete within their iteration, because copies for a later
/// iteration overwrite the slots of this iteration.
static std::optional<Refusal> checkOthers(const CounterOps &ops, const Roots &started) {
  for (Operation *commit : ops.commits)
    if (!ops.starts.empty() && llvm::is_contained(started, commit))
      return Refusal{commit, "it commits copies together with other accesses", "commit the copies alone"};
  bool areDone = llvm::any_of(ops.waits, [&](hk::AsyncWait wait) {
    return wait.getOutstanding() == 0 && !ops.commits.empty() && ops.commits.back()->isBeforeInBlock(wait) &&
           !ops.commits.back()->isBeforeInBlock(ops.starts.back());
  });
  if (ops.starts.empty() || areDone)
    return std::nullopt;
  return Refusal{ops.starts.back(), "it leaves asynchronous accesses in flight from one iteration to the next",
                 "wait for all of them in the iteration that starts them"};
}

/// Checks that copies precede the computation and the waits of an iteration.
static std::optional<Refusal> checkCopies(const PipelineStage &copy, const Roots &others, const BodyAccesses &body) {
  for (Operation *op : copy.ops) {
    Accesses accesses = body.lookup(op);
    if (!accesses.isAsync && !accesses.isNothing() && !accesses.onlyReadsGlobal())
      return Refusal{op, "the source of its copy depends on a read of shared memory"};
    if (completionOfFill(op).isAsync())
      for (Operation *other : others)
        if (other->isBeforeInBlock(op) && mayShareBuffer(other, op))
          return Refusal{op, "it accesses the buffer before it copies to it", "copy at the start of an iteration"};
  }
  return std::nullopt;
}

std::variant<PipelinePlan, Refusal> planAsyncCopies(scf::ForOp loop, const BodyAccesses &body, int64_t numStages) {
  SmallVector<CounterOps, 2> counters = findCounterOps(body);
  PipelinePlan plan{.loop = loop, .isAsync = true};
  Roots started;
  Operation *firstWait = nullptr;
  for (const CounterOps &ops : counters) {
    if (ops.copies.empty())
      continue;
    if (std::optional<Refusal> why = checkGroups(ops))
      return *why;
    plan.writes.append(ops.copies);
    plan.groups.push_back({ops.counter, int64_t(ops.commits.size())});
    started.append(ops.copies);
    started.append(ops.commits);
    Operation *wait = hk::AsyncWait(ops.waits.front());
    firstWait = !firstWait || wait->isBeforeInBlock(firstWait) ? wait : firstWait;
  }
  for (const CounterOps &ops : counters)
    if (ops.copies.empty())
      if (std::optional<Refusal> why = checkOthers(ops, started))
        return *why;
  Roots untilWait, others;
  for (auto &[op, accesses] : body) {
    if (!hasPlace(op, accesses) || llvm::is_contained(started, op))
      continue;
    bool isEarly = op == firstWait || op->isBeforeInBlock(firstWait);
    (isEarly ? untilWait : others).push_back(op);
  }
  PipelineStage copy = makeStage(loop, numStages - 1, started, {});
  PipelineStage wait = makeStage(loop, 0, untilWait, {}), compute = makeStage(loop, 0, others, {});
  addResults(compute, loop, {});
  Roots all = untilWait;
  all.append(others);
  if (std::optional<Refusal> why = checkCopies(copy, all, body))
    return *why;
  plan.stages.push_back(std::move(wait));
  plan.stages.push_back(std::move(copy));
  plan.stages.push_back(std::move(compute));
  return plan;
}

} // namespace hocket::prefetch
