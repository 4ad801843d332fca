//===- PingPongHazards.cpp - Order of stages in ping-pong pipelines --------------------===//
#include "analysis/warp_pipeline/PingPongHazards.h"

namespace hocket {

int64_t countExclusiveStages(const std::vector<bool> &exclusive, const StageHazard &hazard) {
  int64_t exclusiveStages = 0;
  for (int64_t stage = hazard.lag == 0 ? 1 : 0; stage <= hazard.distance; ++stage)
    exclusiveStages += exclusive[(hazard.src + stage) % exclusive.size()];
  return exclusiveStages;
}

int64_t neededExclusiveStages(const StageHazard &hazard) { return hazard.lag == 0 ? 1 : 2; }

} // namespace hocket
