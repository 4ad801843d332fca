//===- Limits.h - Limits on the sizes of tensors and layouts ------------------------===//
#ifndef HOCKET_LAYOUT_LIMITS_H
#define HOCKET_LAYOUT_LIMITS_H

#include <cstdint>

namespace hocket {

/// Maximum number of elements of a tensor, and maximum number of elements that a layout assigns to one lane.
constexpr int64_t kMaxTensorElements = int64_t(1) << 20;

/// Maximum number of lanes of a warp, and maximum number of warps of a block, in a layout. Targets have far fewer lanes
/// and warps. Within these limits, the input bits of a layout fit into LinearLayout::kMaxBits.
constexpr int64_t kMaxLayoutLanes = 1024;

/// Number of bits of a block's rank in its cluster: Hopper's clusters have up to 16 blocks.
constexpr unsigned kMaxClusterBits = 4;

} // namespace hocket

#endif
