//===- VectorFacts.h - Capabilities of single vector instructions -------------------===//
#ifndef HOCKET_TARGET_VECTORFACTS_H
#define HOCKET_TARGET_VECTORFACTS_H

#include "target/TargetInfo.h"

namespace hocket {

/// True if one instruction computes the maximum or minimum of three numbers (v_max3_f32, v_min3_i32; "AMD Instinct
/// MI300" ISA guide, VOP3). NVIDIA GPUs up to Hopper take two.
inline bool hasExtremaOfThree(const TargetInfo &target) { return target.vendor == Vendor::Amd; }

} // namespace hocket

#endif
