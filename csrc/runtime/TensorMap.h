//===- TensorMap.h - TMA descriptors (tensor maps) ----------------------------------===//
//
// A TensorMap holds the arguments of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col. The driver encodes these
// arguments in 128 opaque bytes; the emulator receives the TensorMap itself in place of these 128 bytes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_TENSORMAP_H
#define HOCKET_RUNTIME_TENSORMAP_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace hocket {

/// Element types, with the values of CUtensorMapDataType. Elements of less than 8 bits are copied as unsigned bytes.
/// With TF32, elements are float32 in global memory, and a load rounds each element to the nearest tf32, ties to even.
enum class TensorElement : uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16, TF32 = 11 };

struct TensorMap {
  static constexpr unsigned kMaxRank = 5;

  uint64_t address = 0;
  // Strides and sizes of the tensor. The innermost dimension, which is contiguous, comes first.
  uint64_t strideBytes[kMaxRank] = {};
  uint32_t sizes[kMaxRank] = {};
  /// Number of elements that one instruction copies along each dimension; for im2col, the number of channels, then the
  /// number of pixels, then 1 for each other dimension.
  uint32_t box[kMaxRank] = {};
  uint8_t rank = 0;
  TensorElement element = TensorElement::U8;
  uint8_t elementBytes = 1;
  uint8_t swizzleBytes = 0; ///< size of the swizzle pattern in bytes: 0 (no swizzle), 32, 64 or 128
  uint8_t fillsNan = 0;     ///< 1 if elements outside of the tensor are read as NaN; 0 if they are read as zero

  /// For im2col: the box of pixels that is traversed in each image. `steps` are the distances between traversed pixels
  /// along each dimension. `lowerCorner` is relative to the image's first pixel, and `upperCorner` is relative to the
  /// image's last pixel. In these arrays, the innermost spatial dimension comes first.
  static constexpr unsigned kMaxSpatial = kMaxRank - 2;
  uint8_t isIm2col = 0;
  uint8_t steps[kMaxSpatial] = {1, 1, 1};
  int16_t lowerCorner[kMaxSpatial] = {}, upperCorner[kMaxSpatial] = {};

  unsigned spatialRank() const { return rank - 2u; }
  /// Returns the index of the last pixel of the im2col box in spatial dimension `i`.
  int64_t lastPixel(unsigned i) const { return int64_t(sizes[i + 1]) - 1 + upperCorner[i]; }
};

using EncodedTensorMap = std::array<std::byte, 128>;
static_assert(sizeof(TensorMap) <= sizeof(EncodedTensorMap));

} // namespace hocket

#endif
