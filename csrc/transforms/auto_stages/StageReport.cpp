//===- StageReport.cpp - The report on the stages of a loop -------------------------===//
//
// python/hocket/reports/schedule.py reads this JSON:
//
//   line, file       line and file of the loop
//   formed           true if the loop has stages
//   reason, at       why the loop has no stages, and the line of the operation that prevents them, if known
//   error_percent    error of the estimates
//   mma_parts        numbers of parts along M, N and K into which each MMA is divided
//   choices, choice  number of candidates of hk.stage_choice; its value, if the module has the attribute
//   plain_clocks     clocks of an iteration without stages
//   bound, limit     lower bound for the clocks of any plan; the unit that determines the bound, or "issue"
//   exact            true if no search for plans has reached its limit
//   best, runner_up  plans: clocks, phase_gap, stages, slots
//     stages         label, priority, exclusive, lines (file, line) of the operations, wait (groups left in flight
//                    before the stage) and wait_line
//     slots          clocks, waiting (for copies), units (occupied clocks of each unit); slot i begins stage i. A plan
//                    with exclusive stages has no slots
//
//===------------------------------------------------------------------------------===//
#include "transforms/auto_stages/StageDecision.h"

#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace mlir;

namespace hocket {

/// Returns the file and the line of `op` in the kernel; for an operation of a function that the kernel calls, the file
/// and the line of the call.
static std::pair<std::string, int> lineInKernel(Operation *op) {
  Diagnostic at = hk::diagnosticAt(op->getLoc());
  if (at.callChain.empty())
    return {at.file, at.line};
  return {at.callChain.back().callerFile, at.callChain.back().callerLine};
}

static llvm::json::Value linesOf(const LoopGraph &graph, const StagePlan &plan, unsigned stage) {
  std::set<std::pair<std::string, int>> known;
  llvm::json::Array lines;
  for (auto [node, ops] : llvm::enumerate(graph.opsOf))
    for (Operation *op : ops) {
      auto [file, line] = lineInKernel(op);
      if (plan.stageOf[node] == stage && line > 0 && known.insert({file, line}).second)
        lines.push_back(llvm::json::Array{file, line});
    }
  return lines;
}

static llvm::json::Value unitsOf(const UnitClocks &units) {
  llvm::json::Object result;
  for (unsigned unit = 0; unit < kStageUnits; ++unit)
    result[StringRef(nameOf(StageUnit(unit)))] = units[unit];
  return result;
}

static llvm::json::Value describe(const LoopGraph &graph, const PlayedPlan &rated) {
  const StagePlan &plan = rated.plan;
  const int64_t count = plan.numStages;
  std::vector<std::string> labels = labelsOf(graph.problem, plan);
  std::optional<std::vector<int>> priorities;
  if (hk::targetOf(graph.opsOf.front().front()).hasWarpPriorities)
    priorities = prioritiesOf(graph.problem, plan);
  llvm::json::Array stages, slots;
  for (unsigned stage = 0; stage < plan.numStages; ++stage) {
    llvm::json::Object object{{"label", labels[stage]}, {"lines", linesOf(graph, plan, stage)}};
    if (plan.isPingPong())
      object["exclusive"] = bool(plan.exclusive[stage]);
    if (priorities)
      object["priority"] = (*priorities)[stage];
    for (auto [wait, slot] : llvm::enumerate(plan.waitSlots)) {
      if ((slot + count) % count != int64_t(stage))
        continue;
      object["wait"] = plan.outstanding[wait];
      auto [file, line] = lineInKernel(graph.waits[wait]);
      object["wait_line"] = llvm::json::Array{file, line};
    }
    stages.push_back(std::move(object));
  }
  for (const PlayedSchedule::Slot &slot : rated.played.slots)
    slots.push_back(
        llvm::json::Object{{"clocks", slot.clocks}, {"waiting", slot.waiting}, {"units", unitsOf(slot.units)}});
  return llvm::json::Object{{"clocks", rated.played.clocks},
                            {"phase_gap", int64_t(plan.lag)},
                            {"stages", std::move(stages)},
                            {"slots", std::move(slots)}};
}

std::string reportOf(scf::ForOp loop, const StageDecision &decision) {
  Diagnostic at = hk::diagnosticAt(loop.getLoc());
  const MmaParts &parts = decision.parts;
  llvm::json::Object report{{"file", at.file},
                            {"line", at.line},
                            {"formed", decision.chosen.has_value()},
                            {"error_percent", kModelErrorPercent},
                            {"mma_parts", llvm::json::Array{parts.m, parts.n, parts.k}},
                            {"exact", decision.isExact}};
  report["choices"] = int64_t(decision.numChoices);
  if (decision.choice)
    report["choice"] = *decision.choice;
  if (!decision.chosen)
    report["reason"] = decision.reason;
  if (decision.at)
    report["at"] = lineInKernel(decision.at).second;
  if (!decision.plans.empty()) {
    size_t best = decision.chosen.value_or(0);
    report["plain_clocks"] = decision.plain.played.clocks;
    report["bound"] = decision.bound;
    report["limit"] = decision.limit ? StringRef(nameOf(*decision.limit)) : StringRef("issue");
    report["best"] = describe(*decision.graph, decision.plans[best]);
    if (best + 1 < decision.plans.size())
      report["runner_up"] = describe(*decision.graph, decision.plans[best + 1]);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(std::move(report));
  return text;
}

} // namespace hocket
