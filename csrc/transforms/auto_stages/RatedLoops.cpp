//===- RatedLoops.cpp - Forms of a loop for which stages are rated ------------------===//
#include "transforms/auto_stages/RatedLoops.h"

#include "analysis/warp_pipeline/WarpPipelines.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/MatrixTime.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "target/Features.h"
#include "transforms/auto_stages/DivideMmas.h"
#include "transforms/auto_stages/StageTrials.h"
#include "transforms/warp_pipeline/ExchangeHalves.h"

using namespace mlir;

namespace hocket {

/// Returns the exchanges between warps in the body of `loop` that hocket-defer-exchanges can divide over two stages, if
/// stages may be faster than the loop without stages. Without MMAs, and on targets on which each slot is a barrier for
/// all accesses, measured stages were slower (docs/warp_pipelines.md).
static DivisibleExchanges divisibleExchanges(scf::ForOp loop) {
  DivisibleExchanges exchanges;
  const bool hasMmas = llvm::any_of(*loop.getBody(), [](Operation &op) { return isa<hk::MatrixTime>(op); });
  if (hk::numCtasOf(loop) > 1 || !hasMmas || kNamedBarriers.isOn(hk::targetOf(loop)))
    return exchanges;
  for (Operation &op : loop.getBody()->without_terminator())
    if (hk::getScratchBytes(&op) > 0 && ExchangeHalves::canDivide(&op))
      exchanges[&op] = ExchangeHalves(&op).getWarps();
  return exchanges;
}

static StageDecision rate(scf::ForOp loop, const StageRating &rating = {}) {
  return rateStages(loop, MemoryAliases(loop->getParentOfType<func::FuncOp>()), divisibleExchanges(loop), rating);
}

/// Returns `loop` in a copy of its module, which is not rated yet.
static RatedLoop copyOf(scf::ForOp loop) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(loop->getParentOfType<ModuleOp>()->clone(mapping));
  return {std::move(copy), cast<scf::ForOp>(mapping.lookup(loop.getOperation())), {}};
}

// Divided MMAs --------------------------------------------------------------------------------------------------------

/// Parts into which the MMAs of a loop are divided, in the order in which they are rated.
static constexpr MmaParts kParts[] = {{.k = 2}, {.k = 4}, {.m = 2, .n = 2}, {.m = 2}, {.n = 2}};

/// Rates `loop`, in a copy of the module, with each MMA divided into `parts`; nullopt if the MMAs cannot be divided.
static std::optional<RatedLoop> rateDivided(scf::ForOp loop, const MmaParts &parts, const StageDecision &whole) {
  RatedLoop rated = copyOf(loop);
  FailureOr<scf::ForOp> divided = divideMmas(rated.loop, parts);
  if (failed(divided))
    return std::nullopt;
  rated.loop = *divided;
  // With more graph nodes, the search would reach its limit before it has found good plans.
  StageRating rating{.mostNodes = 24};
  rating.limits.visitsInAll /= 2;
  rated.decision = rate(rated.loop, rating);
  rated.decision.parts = parts;
  rated.decision.plain = whole.plain;
  return rated;
}

SmallVector<RatedLoop, 3> rateDivisions(scf::ForOp loop) {
  // A loop with more parts is preferred only if it gains more than kLeastGainPercent: divided reads and copies have more
  // instructions than estimated. For a GEMM of 256 x 256 x 32, two parts have a 5.9 percent lower estimate, but take 12
  // percent longer by the schedule model of the machine code. A plan is close to its lower bound if it exceeds the bound
  // by less than twice kLeastGainPercent.
  constexpr int64_t kLeastGainPercent = 6;
  SmallVector<RatedLoop, 3> rated;
  rated.push_back({{}, loop, rate(loop)});
  const StageDecision &whole = rated.front().decision;
  if (!whole.graph ||
      (rated.front().hasPlans() && rated.front().clocks() * 100 < whole.bound * (100 + 2 * kLeastGainPercent)))
    return rated;
  for (const MmaParts &parts : kParts) {
    std::optional<RatedLoop> divided = rateDivided(loop, parts, rated.front().decision);
    if (!divided || !divided->hasPlans())
      continue;
    auto isWorse = [&](const RatedLoop &other) {
      return !other.hasPlans() || divided->clocks() * (100 + kLeastGainPercent) < other.clocks() * 100;
    };
    rated.insert(llvm::find_if(rated, isWorse), std::move(*divided));
  }
  return rated;
}

// Asynchronous MMAs ---------------------------------------------------------------------------------------------------

/// Erases all waits for asynchronous MMAs of the function that contains `loop`. Stages need other waits, and
/// MinimizeWaits places the waits of a function only if the function has none.
static void eraseResultWaits(scf::ForOp loop) {
  SmallVector<Operation *> waits;
  loop->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (isResultWait(op))
      waits.push_back(op);
  });
  for (Operation *wait : waits) {
    wait->replaceAllUsesWith(wait->getOperands());
    wait->erase();
  }
}

RatedLoop rateWithoutWaits(scf::ForOp loop) {
  auto isWritten = [](hk::AsyncWait wait) { return WalkResult(failure(isResultWait(wait) && !wait.getImplied())); };
  if (loop->getParentOfType<func::FuncOp>().walk(isWritten).wasInterrupted()) {
    RatedLoop refused{{}, loop, {}};
    if (hk::kKeepWaitsAttr.isOn(loop->getParentOfType<ModuleOp>()))
      refused.decision.reason = "keep_waits keeps waits for asynchronous MMAs, but stages need other waits";
    // Without this check, the placement of new waits would hide that the kernel lacks a wait.
    else if (std::optional<std::string> error = errorOfWaits(loop))
      refused.decision.reason = *error;
    if (!refused.decision.reason.empty())
      return refused;
  }
  RatedLoop rated = copyOf(loop);
  eraseResultWaits(rated.loop);
  rated.decision = rate(rated.loop);
  return rated;
}

scf::ForOp prepareLike(scf::ForOp loop, RatedLoop &rated) {
  if (rated.loop == loop)
    return loop;
  if (rated.decision.parts.count() > 1)
    loop = *divideMmas(loop, rated.decision.parts);
  else
    eraseResultWaits(loop);
  // The preparation and the graph are deterministic, so the plan for the copy also fits the graph of `loop`.
  rated.decision.graph = std::get<LoopGraph>(
      graphOf(loop, MemoryAliases(loop->getParentOfType<func::FuncOp>()), divisibleExchanges(loop)));
  return loop;
}

} // namespace hocket
