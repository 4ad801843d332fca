//===- LayoutWarps.h - Number of warps in the layouts of tensors --------------------===//
#ifndef HOCKET_LAYOUT_LAYOUTWARPS_H
#define HOCKET_LAYOUT_LAYOUTWARPS_H

#include <bit>

namespace hocket {

/// Returns the number of warps in the layouts of tensors that `numWarps` warps hold: `numWarps`, rounded up to a power
/// of two. If a kernel has 12 warps, layouts have 16 warps. Warps 12 to 15 do not exist, so the elements that only
/// these warps hold do not exist, either.
inline int layoutWarps(int numWarps) { return int(std::bit_ceil(unsigned(numWarps))); }

} // namespace hocket

#endif
