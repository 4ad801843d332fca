//===- Passes.cpp - Registers the passes of csrc/conversion ----------------------------------===//
#include "conversion/Passes.h"
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/Passes.h"
#include "conversion/lane_to_nvvm/Passes.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "conversion/prof_to_llvm/Passes.h"
#include "mlir/Pass/PassRegistry.h"

namespace hocket {

void registerConversionPasses(TargetLoweringFactory lowering, ClocksFactory clocks) {
  mlir::registerPass([=] { return createConvertHkToLanePass(lowering); });
  registerHkToLanePasses();
  registerLaneToNvvmPasses();
  registerLaneToRocdlPasses();
  registerProfToLlvmPasses();
  mlir::registerPass([=] { return createConvertProfToLlvmPass(lowering, clocks); });
}

} // namespace hocket
