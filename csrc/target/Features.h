//===- Features.h - Features that some targets lack, for checks and messages ---------===//
#ifndef HOCKET_TARGET_FEATURES_H
#define HOCKET_TARGET_FEATURES_H

#include "target/TargetInfo.h"

#include <string>

namespace hocket {

struct Feature {
  std::string_view name;
  bool (*isOn)(const TargetInfo &);

  /// Returns the names of the targets that have the feature, such as "Ampere (sm_80) and Hopper (sm_90a)".
  std::string targets() const;
  /// Returns the name of the feature and the targets that have it, such as "TMA, which Hopper (sm_90a) has".
  std::string describe() const;
};

inline constexpr Feature kNamedBarriers{"named barriers", [](const TargetInfo &t) { return t.namedBarriers > 1; }};
inline constexpr Feature kClusters{"clusters", [](const TargetInfo &t) { return t.maxClusterBlocks > 1; }};
inline constexpr Feature kTma{"TMA", [](const TargetInfo &t) { return t.hasTma; }};
inline constexpr Feature kWgmma{"wgmma", [](const TargetInfo &t) { return t.hasWgmma; }};
inline constexpr Feature kAsyncProxy{"the async proxy", [](const TargetInfo &t) { return t.hasTma || t.hasWgmma; }};
inline constexpr Feature kTransactionMbarriers{"transaction mbarriers",
                                               [](const TargetInfo &t) { return t.hasTransactionMbarriers; }};
inline constexpr Feature kMmaFloat8{"mma.sync of 8-bit floats", [](const TargetInfo &t) { return t.hasMmaFloat8; }};
/// cvt.rn.satfinite.e4m3x2.f32 and cvt.rn.satfinite.e5m2x2.f32 (PTX ISA 9.0, "cvt").
inline constexpr Feature kFloat8Convert{"conversions of float32 to 8-bit floats",
                                        [](const TargetInfo &t) { return t.computeCapability >= 89; }};
inline constexpr Feature kScaledMfma{"scaled MFMAs", [](const TargetInfo &t) { return t.mfmaVersion == 4; }};
/// LLVM's scheduler for GPUs with MFMAs follows requests for groups of instructions (gl.sched_group_barrier).
inline constexpr Feature kSchedGroups{"scheduling groups", [](const TargetInfo &t) { return t.mfmaVersion != 0; }};
inline constexpr Feature kPackedBf16Atomics{
    "packed bf16 atomics", [](const TargetInfo &t) { return t.amdMemory && t.amdMemory->hasBufferPairAddBf16; }};

} // namespace hocket

#endif
