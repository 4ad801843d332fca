//===- WarpPipelineErrors.cpp - Reports races that no fence of a warp pipeline prevents -===//
#include "analysis/global/ValueSources.h"
#include "analysis/warp_pipeline/PingPongHazards.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/Scratch.h"
#include "transforms/warp_pipeline/WarpPipelineHints.h"
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

using namespace mlir;

namespace hocket {

/// Returns text such as "1 stage" or "2 stages".
static std::string stages(int64_t count) { return std::to_string(count) + (count == 1 ? " stage" : " stages"); }

/// Returns text such as "the groups run 1 stage apart".
static std::string apart(const WarpPipeline &pipeline, const StageHazard &hazard) {
  return (pipeline.numGroups() == 2 ? "the groups run " : "groups that share the data run up to ") +
         stages(hazard.lag) + " apart";
}

/// Returns the noun for the groups of warps other than the group that makes an access.
static StringRef otherGroup(const WarpPipeline &pipeline) {
  return pipeline.numGroups() == 2 ? "the other group of warps" : "another group of warps";
}

/// Returns text such as " (line 12)"; empty if the line is not known.
static std::string parenthesizedLine(Operation *op) { return hk::lineOf(op, " (", ")"); }

/// Returns the names of the arguments from which the pointer can come, such as "`x`" or "`x` or `y`".
static std::string arrayOf(const StageAccess &access) {
  std::string names;
  for (Value origin : originsOf(access.pointer)) {
    auto name = origin ? dyn_cast<NameLoc>(origin.getLoc()) : NameLoc();
    if (!name)
      return "global memory";
    names += (names.empty() ? "`" : " or `") + name.getName().str() + "`";
  }
  return names.empty() ? "global memory" : names;
}

static std::string bufferOf(const StageAccess &access) {
  if (access.isGlobal())
    return arrayOf(access);
  Operation *owner = access.regions.front().getOwner();
  if (StringAttr name = hk::nameOf(owner))
    return "`" + name.str() + "`";
  return hk::lineOf(owner, "the buffer allocated in ", "", "a buffer");
}

/// True if the two accesses use different buffers that overlap in memory.
static bool isInOther(const StageAccess &access, const StageAccess &other) {
  return !access.isGlobal() && access.regions.front().getOwner() != other.regions.front().getOwner();
}

/// Returns the noun that messages use for an asynchronous access.
static StringRef nounOfAccess(const StageAccess &access) { return access.isAsyncMma() ? "wgmma" : "copy"; }

static StringRef verbOf(const StageAccess &access) {
  if (access.isAsyncMma())
    return "multiplies";
  if (access.isAtomic)
    return "updates";
  if (access.isAsync())
    return access.writes() ? "copies into" : "copies from";
  return access.writes() ? "writes" : "reads";
}

static std::string stageOf(const WarpPipeline &pipeline, const StageAccess &access) {
  hk::StageOp stage = pipeline.stages[access.stage];
  return "stage \"" + stage.getLabel().str() + "\"";
}

static bool commitsInBranch(hk::StageOp stage, hk::AsyncCounter counter) {
  auto isInBranch = [&](Operation *op) { return hk::commitsOn(op, counter) && op->getParentOp() != stage; };
  return stage.getBody().walk([&](Operation *op) { return WalkResult(failure(isInBranch(op))); }).wasInterrupted();
}

/// True if the pipeline contains a commit for `copy`. In a loop, the commit can be anywhere; in a straight-line
/// pipeline, the commit must follow the copy.
static bool isCommitted(const WarpPipeline &pipeline, const StageAccess &copy) {
  int64_t stages = pipeline.loop ? pipeline.numStages() : pipeline.numStages() - copy.stage;
  return commitsSince(pipeline, copy, stages) > 0;
}

/// Reports an access of bytes that another group is possibly still copying.
static LogicalResult reportCopy(const WarpPipeline &pipeline, const StageHazards &stageHazards,
                                const AccessHazard &hazard) {
  const StageAccess &copy = *hazard.earlier, &later = *hazard.later;
  std::string buffer = bufferOf(copy), does = (verbOf(later) + " " + buffer).str();
  if (!hazard.arrival) {
    InFlightDiagnostic error = later.op->emitError()
                               << "this warp pipeline races: " << stageOf(pipeline, later) << " " << does
                               << ", but no wait " << (copy.isAsyncMma() ? "" : "between the stages ") << "covers the "
                               << nounOfAccess(copy) << " of " << stageOf(pipeline, copy) << parenthesizedLine(copy.op);
    if (commitsInBranch(pipeline.stages[copy.stage], *copy.getCounter()))
      error.attachNote() << "hint: commit outside of the `if`, so that each iteration has the same number of groups";
    else if (isCommitted(pipeline, copy))
      error.attachNote() << hintForWait(pipeline, stageHazards, hazard, buffer);
    else
      error.attachNote() << "hint: commit the copy to a group, and wait for the group "
                         << (hazard.inSchedule.lag == 0 ? "" : stages(hazard.inSchedule.lag) + " or more ") << "before "
                         << stageOf(pipeline, later);
    return failure();
  }
  // Number of stages from the wait to the stage that accesses the bytes; 0 for the stage directly after the wait.
  int64_t behind = hazard.inSchedule.distance - 1;
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " " << does;
  if (behind < 0)
    error << " before the wait" << parenthesizedLine(hazard.arrival->wait) << " for the " << nounOfAccess(copy)
          << " of " << stageOf(pipeline, copy) << parenthesizedLine(copy.op);
  else
    error << ", and " << otherGroup(pipeline) << " may not have waited" << parenthesizedLine(hazard.arrival->wait)
          << " for its part of the " << nounOfAccess(copy) << " of " << stageOf(pipeline, copy)
          << parenthesizedLine(copy.op);
  if (behind >= 0)
    error.attachNote() << "distance: " << stages(behind) << " from the wait to the access; "
                       << apart(pipeline, hazard.inSchedule) << ", so " << hazard.inSchedule.lag
                       << " or more are needed";
  error.attachNote() << hintForWait(pipeline, stageHazards, hazard, buffer);
  return failure();
}

/// Reports a race between different lanes of one warp.
static LogicalResult reportWithinWarp(const WarpPipeline &pipeline, const AccessHazard &hazard) {
  const StageAccess &earlier = *hazard.earlier, &later = *hazard.later;
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " " << verbOf(later) << " " << bufferOf(later)
        << ", which other lanes of the warp may access at the same time: the stage " << verbOf(earlier) << " it too"
        << parenthesizedLine(earlier.op);
  error.attachNote() << "hint: put the two accesses into different stages";
  return failure();
}

static LogicalResult reportWithinStage(const WarpPipeline &pipeline, const StageHazards &stageHazards,
                                       const AccessHazard &hazard) {
  const StageAccess &earlier = *hazard.earlier, &later = *hazard.later;
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " " << verbOf(later) << " " << bufferOf(later)
        << ", which other warps may access at the same time: the stage " << verbOf(earlier)
        << (isInOther(earlier, later) ? " " + bufferOf(earlier) : " it") << " too" << parenthesizedLine(earlier.op);
  if (hazard.inSchedule.lag == 0)
    error.attachNote() << "distance: there is no barrier inside a stage, so the accesses must be 1 stage apart";
  else
    error.attachNote() << "distance: there is no barrier inside a stage; " << apart(pipeline, hazard.inSchedule)
                       << ", so the accesses must be " << stages(hazard.inSchedule.neededDistance()) << " apart";
  error.attachNote() << hintForDistance(pipeline, stageHazards, hazard, bufferOf(earlier));
  return failure();
}

/// Reports that some warps possibly signal before other warps have completed the earlier access.
static LogicalResult reportSignal(const WarpPipeline &pipeline, const AccessHazard &hazard) {
  const StageAccess &earlier = *hazard.earlier, &later = *hazard.later;
  int64_t distance = hazard.inSchedule.distance, needed = hazard.inSchedule.neededDistance();
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " arrives at " << bufferOf(later)
        << (pipeline.numGroups() == 2 ? " for both groups of warps, but the other one may still be in "
                                      : " for all groups of warps, but another one may still be in ")
        << stageOf(pipeline, earlier) << parenthesizedLine(earlier.op) << ", which " << verbOf(earlier) << " "
        << bufferOf(earlier);
  error.attachNote() << "distance: " << stages(distance) << " from this access to the arrival; "
                     << apart(pipeline, hazard.inSchedule) << ", so " << needed << " are needed";
  error.attachNote() << "hint: arrive at it " << stages(needed - distance) << " later, at the start of the stage";
  return failure();
}

LogicalResult reportPipelineRace(const WarpPipeline &pipeline, const StageHazards &stageHazards,
                                 const AccessHazard &hazard) {
  if (hazard.later->isSignal)
    return reportSignal(pipeline, hazard);
  if (hazard.isCopy() && (!hazard.arrival || hazard.stagesApart > 0))
    return reportCopy(pipeline, stageHazards, hazard);
  if (hazard.stagesApart == 0 && hazard.exchange == Exchange::WithinWarp)
    return reportWithinWarp(pipeline, hazard);
  if (hazard.stagesApart == 0)
    return reportWithinStage(pipeline, stageHazards, hazard);
  const StageAccess &earlier = *hazard.earlier, &later = *hazard.later;
  bool sharesMemory = isInOther(earlier, later);
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " " << verbOf(later) << " " << bufferOf(later)
        << " while " << otherGroup(pipeline) << " may still be in " << stageOf(pipeline, earlier)
        << parenthesizedLine(earlier.op) << ", which " << verbOf(earlier) << " "
        << (sharesMemory ? bufferOf(earlier) : "it");
  if (sharesMemory)
    error << " in the same memory";
  bool isNextIteration = earlier.stage + hazard.stagesApart >= pipeline.numStages();
  error.attachNote() << "distance: " << stages(hazard.stagesApart) << " from \""
                     << hk::StageOp(pipeline.stages[earlier.stage]).getLabel() << "\" to \""
                     << hk::StageOp(pipeline.stages[later.stage]).getLabel() << "\""
                     << (isNextIteration ? " of a later iteration" : "") << "; " << apart(pipeline, hazard.inSchedule)
                     << ", so a barrier between the two needs " << hazard.inSchedule.neededDistance();
  error.attachNote() << hintForDistance(pipeline, stageHazards, hazard, bufferOf(earlier));
  return failure();
}

LogicalResult reportPingPongRace(const WarpPipeline &pipeline, const AccessHazard &hazard) {
  const StageAccess &earlier = *hazard.earlier, &later = *hazard.later;
  auto stages = [](int64_t count) {
    return count == 1 ? "1 exclusive stage" : std::to_string(count) + " exclusive stages";
  };
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " "
        << (later.isSignal ? StringRef("arrives at") : verbOf(later)) << " " << bufferOf(later) << " while "
        << otherGroup(pipeline) << " may still be in " << stageOf(pipeline, earlier) << parenthesizedLine(earlier.op)
        << ", which " << verbOf(earlier) << " " << (isInOther(earlier, later) ? bufferOf(earlier) : "it");
  if (hazard.isCopy() && !hazard.arrival)
    error.attachNote() << "no wait covers the " << nounOfAccess(earlier);
  else
    error.attachNote() << "distance: " << stages(countExclusiveStages(pipeline.exclusive, hazard.inSchedule))
                       << " from the first access to the second, but " << neededExclusiveStages(hazard.inSchedule)
                       << " are needed";
  error.attachNote() << "hint: leave `exclusive` out, so that the groups synchronize before every stage; or put more "
                        "exclusive stages between the two accesses; or use a ring of more buffers";
  return failure();
}

LogicalResult reportEntryRace(const WarpPipeline &pipeline, const EntryHazard &hazard, unsigned youngestAge) {
  const StageAccess &later = *hazard.later;
  // Number of stages from the wait to the stage that accesses the bytes; 0 for the stage directly after the wait.
  int64_t behind = hazard.laterStage - hazard.waitSlot;
  std::string copy = "the " + nounOfAccess(*hazard.copy).str() + parenthesizedLine(hazard.copy->op) +
                     ", which is in flight when the pipeline begins";
  InFlightDiagnostic error = later.op->emitError();
  error << "this warp pipeline races: " << stageOf(pipeline, later) << " " << verbOf(later) << " " << bufferOf(later);
  if (!hazard.wait)
    error << ", but no wait between the stages covers " << copy;
  else if (behind < 0)
    error << " before the wait" << parenthesizedLine(hazard.wait) << " for " << copy;
  else
    error << ", and " << otherGroup(pipeline) << " may not have waited" << parenthesizedLine(hazard.wait)
          << " for its part of " << copy;
  if (hazard.wait && behind >= 0)
    error.attachNote() << "distance: " << stages(behind) << " from the wait to the access; "
                       << apart(pipeline, hazard.inSchedule) << ", so " << hazard.inSchedule.lag
                       << " or more are needed";
  if (later.isOfUnclearSlot()) {
    error.attachNote() << hintForUnclearSlot(later, bufferOf(later));
    return failure();
  }
  const char *hint = youngestAge == 0 ? "hint: commit the copies to a group, and wait for it" : "hint: wait for it";
  error.attachNote() << hint << " before the pipeline, with "
                     << waitCall(*hazard.copy, youngestAge == 0 ? 0 : youngestAge - 1);
  return failure();
}

} // namespace hocket
