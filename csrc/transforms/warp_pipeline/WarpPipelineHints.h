//===- WarpPipelineHints.h - Hints for races in warp pipelines ---------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEHINTS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEHINTS_H

#include "analysis/warp_pipeline/StageHazards.h"

#include <string>

namespace hocket {

/// Returns a hint for the race of `hazard`, which no fence prevents: more slots of the buffer, more stages, or a choice
/// of the two. The change prevents all races of the buffer. `buffer` is the user's name of the buffer.
std::string hintForDistance(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                            const std::string &buffer);

/// Returns the hint for a `hazard` with a copy whose wait comes too late.
std::string hintForWait(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                        const std::string &buffer);

/// Returns the hint for an access whose slot or buffer the compiler cannot determine (isOfUnclearSlot).
std::string hintForUnclearSlot(const StageAccess &access, const std::string &buffer);

/// Returns the source text of a wait on the counter of `copy` that leaves `outstanding` groups in flight.
std::string waitCall(const StageAccess &copy, unsigned outstanding);

} // namespace hocket

#endif
