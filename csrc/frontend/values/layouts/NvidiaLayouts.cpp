//===- NvidiaLayouts.cpp - The layout classes of NVIDIA's GPUs ----------------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/values/layouts/LayoutClass.h"
#include "target/WgmmaInstructions.h"

namespace hocket::frontend {

using hk_nv::MmaAttr;
using hk_nv::MmaSharedAttr;

/// True if `target` has the MMA instruction of the layout: wgmma for version 3, otherwise mma.sync.
static bool hasMmaOfVersion(mlir::Attribute layout, const TargetInfo &target) {
  bool isWgmma = llvm::cast<MmaAttr>(layout).getMajorVersion() == 3;
  return isWgmma ? target.hasWgmma : hasMma(target, *findMma(NumberFormat::F16, NumberFormat::F16));
}

std::span<const LayoutClass> nvidiaLayoutClasses() {
  static const LayoutClass classes[] = {
      [] {
        LayoutClass mma =
            layoutClass("NVMMADistributedLayout", Field("version", &MmaAttr::getVersion),
                        Field("warps_per_cta", &MmaAttr::getWarpsPerCta), Field("instr_shape", &MmaAttr::getInstrShape),
                        optionalList(Field("cga_layout", &MmaAttr::getBlock)));
        mma.existsOn = hasMmaOfVersion;
        return mma;
      }(),
      layoutClass("NVMMASharedLayout", Field("swizzle_byte_width", &MmaSharedAttr::getSwizzle),
                  Field("element_bitwidth", &MmaSharedAttr::getElementBits), Field("rank", &MmaSharedAttr::getDims),
                  Field("transposed", &MmaSharedAttr::getTransposed),
                  optionalList(Field("cga_layout", &MmaSharedAttr::getBlock))),
  };
  return classes;
}

} // namespace hocket::frontend
