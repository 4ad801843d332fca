//===- NvvmTargetLowering.h - NVIDIA's part of the lowering to lane form ---------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_NVVMTARGETLOWERING_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_NVVMTARGETLOWERING_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"

namespace hocket {

std::unique_ptr<TargetLowering> createNvvmTargetLowering(const TargetInfo &target);

} // namespace hocket

#endif
