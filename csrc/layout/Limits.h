//===- Limits.h - How large tensors and their layouts may be ------------------------===//
#ifndef HOCKET_LAYOUT_LIMITS_H
#define HOCKET_LAYOUT_LIMITS_H

#include <cstdint>

namespace hocket {

/// Elements of a tensor, and of what a layout gives to one lane.
constexpr int64_t kMaxTensorElements = int64_t(1) << 20;

/// Lanes of a warp, or warps of a block, that a layout may spread elements over: far above any target's, and small
/// enough for a linear map of both and of the largest tensor (LinearLayout::kMaxBits).
constexpr int64_t kMaxLayoutLanes = 1024;

/// Bits of the number of a block in its cluster: Hopper's clusters have up to 16 blocks.
constexpr unsigned kMaxClusterBits = 4;

} // namespace hocket

#endif
