//===- WarpSizes.h - Number of lanes of a warp -------------------------------------===//
#ifndef HOCKET_LAYOUT_WARPSIZES_H
#define HOCKET_LAYOUT_WARPSIZES_H

namespace hocket {

/// For layouts and instructions that are defined for one vendor's warp. TargetInfo::warpSize is that of a target.
inline constexpr int kNvidiaWarpSize = 32, kAmdWaveSize = 64;

} // namespace hocket

#endif
