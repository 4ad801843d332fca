//===- Passes.cpp - The passes of csrc/conversion --------------------------------------------===//
//
// The only file of this folder that includes the conversions of every vendor.
//
//===------------------------------------------------------------------------------===//
#include "conversion/Passes.h"
#include "conversion/hk_amd_to_rocdl/RocdlTargetLowering.h"
#include "conversion/hk_nv_to_nvvm/NvvmTargetLowering.h"
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/Passes.h"
#include "conversion/lane_to_nvvm/LaneToNvvm.h"
#include "conversion/lane_to_nvvm/PrefetchDescriptors.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "conversion/prof_to_llvm/Passes.h"
#include "mlir/Pass/PassRegistry.h"

namespace hocket {

static std::unique_ptr<TargetLowering> createTargetLowering(const TargetInfo &target) {
  switch (target.vendor) {
  case Vendor::Nvidia:
    return createNvvmTargetLowering(target);
  case Vendor::Amd:
    return createRocdlTargetLowering(target);
  }
  llvm_unreachable("all vendors are handled");
}

std::unique_ptr<mlir::Pass> createConvertHkToLanePass() { return createConvertHkToLanePass(createTargetLowering); }

std::unique_ptr<mlir::Pass> createConvertProfToLlvmPass() { return createConvertProfToLlvmPass(createTargetLowering); }

void registerConversionPasses() {
  mlir::registerPass([] { return createConvertHkToLanePass(); });
  mlir::registerPass([] { return createConvertLaneToNvvmPass(); });
  mlir::registerPass([] { return createPrefetchDescriptorsPass(); });
  registerHkToLanePasses();
  registerLaneToRocdlPasses();
  registerProfToLlvmPasses();
  mlir::registerPass([] { return createConvertProfToLlvmPass(); });
}

} // namespace hocket
