//===- Passes.h - The passes of csrc/conversion ----------------------------------------------===//
#ifndef HOCKET_CONVERSION_PASSES_H
#define HOCKET_CONVERSION_PASSES_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "conversion/prof_to_llvm/Clocks.h"

namespace hocket {

/// Registers the passes of this folder and its subfolders with hocket-opt, except lane_to_host. `lowering` and `clocks`
/// create the TargetLowering and the Clocks of a target's vendor.
void registerConversionPasses(TargetLoweringFactory lowering, ClocksFactory clocks);

} // namespace hocket

#endif
