//===- WarpPipelineHints.h - Hints for races in warp pipelines ---------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEHINTS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEHINTS_H

#include "analysis/warp_pipeline/StageHazards.h"

#include <string>

namespace hocket {

/// Returns the change to the kernel that prevents the race of `hazard`, which no fence prevents, and all other races of
/// the same buffer: more slots of the buffer, or more stages, or a choice of the two. `buffer` is the user's name of
/// the buffer.
std::string hintForDistance(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                            const std::string &buffer);

/// Returns the hint for a `hazard` with a copy for which a wait exists, but comes too late.
std::string hintForWait(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                        const std::string &buffer);

/// Returns the hint for an access whose slot or buffer the compiler cannot determine (isOfUnclearSlot).
std::string hintForUnclearSlot(const StageAccess &access, const std::string &buffer);

/// Returns the source text of a wait on the counter of `copy` that leaves `outstanding` groups in flight.
std::string waitCall(const StageAccess &copy, unsigned outstanding);

} // namespace hocket

#endif
