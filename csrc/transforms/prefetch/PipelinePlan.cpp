//===- PipelinePlan.cpp - Plans the software pipeline of a loop ---------------------===//
#include "transforms/prefetch/PipelinePlan.h"

#include "dialect/hk/facts/Locations.h"
#include "transforms/prefetch/PlanSteps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace hocket::prefetch {

int64_t PipelinePlan::groupsOf(hk::AsyncWait wait) const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (hk::AsyncCounter counter : wait.getAwaitedCounters()) {
    auto found = llvm::find_if(groups, [&](const CounterGroups &one) { return one.counter == counter; });
    least = std::min(least, found == groups.end() ? 0 : found->perIteration);
  }
  return least;
}

int64_t PipelinePlan::depth() const {
  int64_t depth = 0;
  for (const PipelineStage &stage : stages)
    depth = std::max(depth, stage.ahead);
  return depth;
}

std::optional<int64_t> constantTripCount(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  if (loop.getUnsignedCmp() && (*lower < 0 || *upper < 0))
    return std::nullopt;
  return *upper > *lower ? llvm::divideCeil(uint64_t(*upper) - uint64_t(*lower), uint64_t(*step)) : 0;
}

// Stages --------------------------------------------------------------------------------------------------------------

PipelineStage makeStage(scf::ForOp loop, int64_t ahead, ArrayRef<Operation *> roots,
                        const llvm::SetVector<Operation *> &handedOver) {
  LoopSlice slice;
  for (Operation *root : roots)
    slice.add(root, loop, [&](Operation *op) { return handedOver.contains(op); });
  return {.ahead = ahead, .ops = std::move(slice.ops), .carried = std::move(slice.carried)};
}

void addResults(PipelineStage &stage, scf::ForOp loop, const llvm::SetVector<Operation *> &handedOver) {
  LoopSlice slice{std::move(stage.ops), std::move(stage.carried)};
  for (auto [result, variable] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    if (!result.use_empty())
      slice.add(variable, loop, [&](Operation *op) { return handedOver.contains(op); });
  stage.ops = std::move(slice.ops);
  stage.carried = std::move(slice.carried);
}

bool hasPlace(Operation *op, const Accesses &accesses) {
  return !accesses.isNothing() || accesses.tells || isa<hk::AssumeOp>(op);
}

// Guards --------------------------------------------------------------------------------------------------------------

/// Returns a reason, independent of the kind of copies, why a loop cannot be pipelined; nullopt if none is found.
static std::optional<Refusal> checkBody(scf::ForOp loop, const BodyAccesses &body) {
  for (BlockArgument variable : loop.getRegionIterArgs())
    if (isa<hk::MemDescType>(variable.getType()))
      return Refusal{nullptr, "it carries a handle of shared memory from one iteration to the next",
                     "index a ring of buffers with the number of the iteration"};
  for (auto &[op, accesses] : body) {
    bool hasBarrier = false, asserts = false;
    op->walk([&](Operation *inner) {
      hasBarrier |= isa<hk::BarrierOp>(inner);
      auto assertion = dyn_cast<hk::AssertOp>(inner);
      asserts |= assertion && !assertion.getLate();
    });
    if (hasBarrier)
      return Refusal{op, "it has a barrier of its own", "remove it: the compiler inserts barriers for shared memory"};
    if (asserts)
      return Refusal{op, "an assertion in it must come before the loads of later iterations"};
    if (accesses.writesGlobal)
      return Refusal{op, "it writes global memory, from which later iterations may load",
                     "store after the loop, or in a loop of its own"};
    if (accesses.isUnknown)
      return Refusal{op, "it contains an operation that is neither a load, nor a store, nor a computation"};
  }
  return std::nullopt;
}

static std::optional<Refusal> checkTrips(const PipelinePlan &plan) {
  std::optional<int64_t> trips = constantTripCount(plan.loop);
  if (!trips || *trips > plan.depth())
    return std::nullopt;
  return Refusal{nullptr, "it has " + std::to_string(*trips) + (*trips == 1 ? " iteration" : " iterations") +
                              ", but copies would start " + std::to_string(plan.depth()) + " iterations ahead"};
}

void warnNotPrefetched(scf::ForOp loop, const Refusal &why) {
  InFlightDiagnostic warning = loop->emitWarning() << "this loop is not prefetched: " << why.reason;
  Diagnostic at = why.at ? hk::diagnosticAt(why.at->getLoc()) : Diagnostic();
  if (at.line > 0)
    warning.attachNote() << "in line " << at.line;
  if (!why.hint.empty())
    warning.attachNote() << "hint: " << why.hint;
}

std::variant<PipelinePlan, Refusal> planPipeline(scf::ForOp loop, int64_t numStages) {
  BodyAccesses body;
  for (Operation &op : loop.getBody()->without_terminator())
    body[&op] = accessesOf(&op);
  if (std::optional<Refusal> why = checkCompletions(body))
    return *why;
  bool isAsync = llvm::any_of(body, [](auto &entry) { return completionOfFill(entry.first).isAsync(); });
  auto plan = isAsync ? planAsyncCopies(loop, body, numStages) : planRegisterCopies(loop, body, numStages);
  auto *refusal = std::get_if<Refusal>(&plan);
  if (refusal && refusal->copiesNothing)
    return plan;
  if (std::optional<Refusal> why = checkBody(loop, body))
    return *why;
  if (refusal)
    return plan;
  if (std::optional<Refusal> why = checkTrips(std::get<PipelinePlan>(plan)))
    return *why;
  return plan;
}

} // namespace hocket::prefetch
