//===- TmaLimits.h - Limits of TMA on NVIDIA GPUs ----------------------------------===//
#ifndef HOCKET_TARGET_TMALIMITS_H
#define HOCKET_TARGET_TMALIMITS_H

#include <cstdint>

namespace hocket {

/// Rows of a box, strides of a tensor and the units that swizzling permutes have a multiple of this number of bytes.
inline constexpr int64_t kTmaUnitBytes = 16;
/// Smallest alignment of a box in shared memory, in bytes.
inline constexpr int64_t kTmaBoxAlignment = 128;

} // namespace hocket

#endif
