//===- RocdlTargetLowering.h - AMD's answers to what lowerings ask -----------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_ROCDLTARGETLOWERING_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_ROCDLTARGETLOWERING_H

#include "conversion/hk_to_llvm/TargetLowering.h"

namespace hocket {

std::unique_ptr<TargetLowering> createRocdlTargetLowering(const TargetInfo &target);

} // namespace hocket

#endif
