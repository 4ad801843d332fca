//===- WarpPipelineHints.cpp - Hints for races in warp pipelines ---------------------===//
//
// The change that a hint suggests prevents all races of the buffer, not only the reported race.
//
//===------------------------------------------------------------------------------===//
#include "transforms/warp_pipeline/WarpPipelineHints.h"

#include "analysis/global/ValueSources.h"
#include "analysis/warp_pipeline/RingRepair.h"
#include "dialect/hk/facts/Locations.h"

using namespace mlir;

namespace hocket {

/// Returns text such as "buffer 0", "buffers 0 and 1" or "buffers 0 to 2".
static std::string firstSlots(int64_t count) {
  if (count == 1)
    return "buffer 0";
  return "buffers 0 " + std::string(count == 2 ? "and " : "to ") + std::to_string(count - 1);
}

static std::string hintForSlots(const RingRepair &repair, const std::string &buffer) {
  std::string count = std::to_string(repair.slots), ring = "make " + buffer + " a ring of " + count + " buffers";
  bool isEnough = repair.slots == repair.slotsNow;
  std::string subject = isEnough ? "in " + buffer + ", " : ring + ", ";
  if (!repair.ahead && repair.furtherAhead == 0)
    return ring;
  if (!repair.ahead)
    return subject + (isEnough ? "write " : "and write ") + std::to_string(repair.furtherAhead) +
           (repair.furtherAhead == 1 ? " iteration" : " iterations") + " further ahead";
  if (*repair.ahead == 0)
    return subject + "read and write buffer k % " + count;
  std::string later = "k + " + std::to_string(*repair.ahead);
  std::string slots = subject + "read buffer k % " + count + " and write buffer (" + later + ") % " + count;
  if (repair.furtherAhead == 0)
    return slots;
  return slots + " with the data that iteration " + later + " reads; fill " + firstSlots(*repair.ahead) +
         " before the loop";
}

/// True if `more` additional stages after the stage of `hazard.earlier` prevent all races of the buffer. (Additional
/// stages cannot cause races.)
static bool areStagesEnough(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                            int64_t more) {
  int64_t count = pipeline.numStages();
  auto stageOf = [&](const StageAccess &access) {
    return int64_t(access.stage) + (access.stage > hazard.earlier->stage ? more : 0);
  };
  for (const AccessHazard &other : stages.getHazards()) {
    if (other.inSchedule.canBeSettled() || !StageHazards::areHazard(*other.earlier, *hazard.earlier))
      continue;
    int64_t iterations = (other.stagesApart - (int64_t(other.later->stage) - int64_t(other.earlier->stage))) / count;
    int64_t distance = iterations * (count + more) + stageOf(*other.later) - stageOf(*other.earlier);
    if (other.isCopy() || distance < other.inSchedule.neededDistance())
      return false;
  }
  return true;
}

/// Returns the minimum distance in stages at which the accesses of the buffer in the stage of `hazard` no longer race.
static int64_t neededWithinStage(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard) {
  int64_t needed = 1;
  for (const AccessHazard &other : stages.getHazards())
    if (other.stagesApart == 0 && other.earlier->stage == hazard.earlier->stage &&
        mayOverlap(*other.earlier, *hazard.earlier))
      needed = std::max(needed, other.inSchedule.neededDistance());
  return needed;
}

static std::string hintForStages(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard) {
  auto number = [](int64_t count) { return count == 1 ? std::string("one") : std::to_string(count); };
  if (hazard.stagesApart == 0) {
    int64_t between = neededWithinStage(pipeline, stages, hazard) - 1;
    return "put the two accesses into different stages" +
           (between > 0 ? ", with " + number(between) + " more between them" : "");
  }
  int64_t more = hazard.inSchedule.neededDistance() - hazard.stagesApart;
  return "put " + number(more) + (more == 1 ? " more stage" : " more stages") + " between the two";
}

/// Returns the hint for addresses that the analysis cannot prove to be disjoint.
static std::string hintForArguments(const AccessHazard &hazard) {
  SmallVector<Value> origins = originsOf(hazard.earlier->pointer);
  if (origins.size() != 1 || origins != originsOf(hazard.later->pointer))
    return "";
  return "; if the two never access the same elements, pass the array as two arguments: different arguments count as "
         "different arrays";
}

std::string hintForUnclearSlot(const StageAccess &access, const std::string &buffer) {
  std::string where = hk::lineOf(access.op, " in ", "", " here");
  if (!access.slot)
    return "hint: the buffer that the handle" + where +
           " refers to in each iteration is unknown; select buffers of one ring, as in ring.index(k % 3)";
  return "hint: the index" + where + ", which selects a buffer of " + buffer +
         " in each iteration, has an unknown value; use k % 3, or a counter such as w = (w + 1) % 3";
}

/// Returns the access of `hazard` whose slot the compiler cannot determine; null if there is none.
static const StageAccess *unclearOf(const AccessHazard &hazard) {
  return hazard.later->isOfUnclearSlot() ? hazard.later : hazard.earlier->isOfUnclearSlot() ? hazard.earlier : nullptr;
}

std::string hintForDistance(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                            const std::string &buffer) {
  if (const StageAccess *unclear = unclearOf(hazard))
    return hintForUnclearSlot(*unclear, buffer);
  if (hazard.isGlobal())
    return "hint: " + hintForStages(pipeline, stages, hazard) + hintForArguments(hazard);
  Operation *owner = hazard.earlier->regions.front().getOwner();
  std::optional<RingRepair> repair;
  if (owner == hazard.later->regions.front().getOwner())
    repair = findRingRepair(pipeline, stages, owner);
  // The suggested stages must prevent all races of the buffer, not only the race of `hazard`.
  bool isEnough = hazard.stagesApart == 0 ||
                  areStagesEnough(pipeline, stages, hazard, hazard.inSchedule.neededDistance() - hazard.stagesApart);
  if (!repair)
    return "hint: " + hintForStages(pipeline, stages, hazard);
  return "hint: " + hintForSlots(*repair, buffer) + (isEnough ? "; or " + hintForStages(pipeline, stages, hazard) : "");
}

/// Returns the maximum number of stages from the copy of `hazard` to a wait for the copy, such that the wait orders the
/// copy before all accesses of the copied data.
static int64_t placeOfWait(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard) {
  int64_t place = hazard.stagesApart;
  for (const AccessHazard &other : stages.getHazards())
    if (other.earlier == hazard.earlier)
      place = std::min(place, other.stagesApart + 1 - other.inSchedule.neededDistance());
  return place;
}

std::string waitCall(const StageAccess &copy, unsigned outstanding) {
  std::string count = std::to_string(outstanding);
  return copy.isAsyncMma() ? "warpgroup_mma_wait(" + count + ", deps=[...])" : "wait_group(" + count + ")";
}

std::string hintForWait(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                        const std::string &buffer) {
  if (const StageAccess *unclear = unclearOf(hazard))
    return hintForUnclearSlot(*unclear, buffer);
  const StageAccess &copy = *hazard.earlier;
  int64_t place = placeOfWait(pipeline, stages, hazard);
  if (unsigned commits = place > 0 ? commitsSince(pipeline, copy, place) : 0) {
    hk::StageOp behind = pipeline.stages[(copy.stage + place) % pipeline.numStages()];
    return "hint: wait before stage \"" + behind.getLabel().str() + "\", with " + waitCall(copy, commits - 1);
  }
  std::optional<RingRepair> repair;
  if (!copy.isGlobal())
    repair = findRingRepair(pipeline, stages, copy.regions.front().getOwner());
  if (repair)
    return "hint: " + hintForSlots(*repair, buffer);
  hk::StageOp later = pipeline.stages[hazard.later->stage];
  std::string hint = "hint: put more stages between the copy and stage \"" + later.getLabel().str() + "\", and a wait ";
  int64_t ahead = hazard.inSchedule.neededDistance() - 1;
  if (ahead == 0)
    return hint + "right before it";
  return hint + std::to_string(ahead) + (ahead == 1 ? " stage" : " stages") + " before it";
}

} // namespace hocket
