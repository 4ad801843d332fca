//===- Limits.h - Limits on the sizes of tensors and layouts ------------------------===//
#ifndef HOCKET_LAYOUT_LIMITS_H
#define HOCKET_LAYOUT_LIMITS_H

#include <cstdint>

namespace hocket {

/// Limit on the elements of a tensor, and on the elements that a layout assigns to one lane.
constexpr int64_t kMaxTensorElements = int64_t(1) << 20;

/// Limit on the lanes of a warp, and on the warps of a block, that a layout may use. Targets have far fewer lanes and
/// warps. A linear map of lanes, warps and the largest tensor fits into LinearLayout::kMaxBits.
constexpr int64_t kMaxLayoutLanes = 1024;

/// Number of bits of a block's rank in its cluster: Hopper's clusters have up to 16 blocks.
constexpr unsigned kMaxClusterBits = 4;

} // namespace hocket

#endif
