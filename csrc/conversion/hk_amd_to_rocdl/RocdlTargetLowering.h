//===- RocdlTargetLowering.h - AMD's part of the lowering to lane form -------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_ROCDLTARGETLOWERING_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_ROCDLTARGETLOWERING_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"

namespace hocket {

std::unique_ptr<TargetLowering> createRocdlTargetLowering(const TargetInfo &target);

} // namespace hocket

#endif
