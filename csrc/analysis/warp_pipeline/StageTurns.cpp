//===- StageTurns.cpp - Order of stages in ping-pong pipelines --------------------===//
#include "analysis/warp_pipeline/StageTurns.h"

namespace hocket {

int64_t countTurns(const std::vector<bool> &exclusive, const StageHazard &hazard) {
  int64_t turns = 0;
  for (int64_t stage = hazard.isWithinGroup ? 1 : 0; stage <= hazard.distance; ++stage)
    turns += exclusive[(hazard.src + stage) % exclusive.size()];
  return turns;
}

int64_t neededTurns(const StageHazard &hazard) { return hazard.isWithinGroup ? 1 : 2; }

} // namespace hocket
