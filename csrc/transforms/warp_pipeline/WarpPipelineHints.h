//===- WarpPipelineHints.h - What would keep two accesses of a warp pipeline apart -===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEHINTS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEHINTS_H

#include "analysis/warp_pipeline/StageHazards.h"

#include <string>

namespace hocket {

/// What to change so that `hazard`, which no fence settles, and others of the same buffer are settled: slots of the
/// buffer, stages, or either. `buffer` is how the user knows it.
std::string hintForDistance(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                            const std::string &buffer);

/// The same for `hazard` with a copy that some wait covers, but too late.
std::string hintForWait(const WarpPipeline &pipeline, const StageHazards &stages, const AccessHazard &hazard,
                        const std::string &buffer);

/// What to write where it is not understood which slot, or which buffer, `access` is about (isOfUnclearSlot).
std::string hintForUnclearSlot(const StageAccess &access, const std::string &buffer);

/// A wait in the kernel that leaves `outstanding` groups like that of `copy`.
std::string waitCall(const StageAccess &copy, unsigned outstanding);

} // namespace hocket

#endif
