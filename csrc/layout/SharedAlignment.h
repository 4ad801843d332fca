//===- SharedAlignment.h - Alignment of buffers in shared memory -------------------===//
#ifndef HOCKET_LAYOUT_SHAREDALIGNMENT_H
#define HOCKET_LAYOUT_SHAREDALIGNMENT_H

#include <cstdint>

namespace hocket {

/// Minimum alignment of a shared memory buffer, in bytes: the width of the widest access of one lane on any target.
inline constexpr int64_t kSharedAlignment = 16;

} // namespace hocket

#endif
