//===- WarpSizes.h - Number of lanes of a warp -------------------------------------===//
#ifndef HOCKET_LAYOUT_WARPSIZES_H
#define HOCKET_LAYOUT_WARPSIZES_H

namespace hocket {

/// Number of lanes of a warp, for the layouts and instructions of one vendor. TargetInfo::warpSize is the number of
/// lanes for one target.
inline constexpr int kNvidiaWarpSize = 32, kAmdWaveSize = 64;

} // namespace hocket

#endif
