//===- TmaLimits.h - Limits of TMA on NVIDIA GPUs ----------------------------------===//
#ifndef HOCKET_TARGET_TMALIMITS_H
#define HOCKET_TARGET_TMALIMITS_H

#include <cstdint>

namespace hocket {

/// In bytes: the row size of a box and the strides of a tensor must be multiples of this number, and swizzling permutes
/// units of this size.
inline constexpr int64_t kTmaUnitBytes = 16;
/// Smallest alignment of a box in shared memory, in bytes.
inline constexpr int64_t kTmaBoxAlignment = 128;

} // namespace hocket

#endif
