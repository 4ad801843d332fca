//===- AmdLayouts.cpp - The layout classes of AMD's GPUs ----------------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/values/layouts/LayoutClass.h"
#include "target/MatrixInstructions.h"

namespace hocket::frontend {

static bool hasMfma(mlir::Attribute, const TargetInfo &target) { return target.mfmaVersion != 0; }

std::span<const LayoutClass> amdLayoutClasses() {
  using hk_amd::MfmaAttr;
  static const LayoutClass classes[] = {[] {
    LayoutClass mfma = layoutClass(
        "amd.AMDMFMALayout", Field("version", &MfmaAttr::getVersion), Field("instr_shape", &MfmaAttr::getInstrShape),
        Field("transposed", &MfmaAttr::getTransposed), Field("warps_per_cta", &MfmaAttr::getWarpsPerCta),
        Field("element_bitwidth", &MfmaAttr::getElementBits),
        optionalList(Field("tiles_per_warp", &MfmaAttr::getTilesPerWarp)));
    mfma.existsOn = hasMfma;
    return mfma;
  }()};
  return classes;
}

} // namespace hocket::frontend
