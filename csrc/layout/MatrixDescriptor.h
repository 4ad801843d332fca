//===- MatrixDescriptor.h - Matrix descriptors of wgmma ---------------------------===//
//
// A wgmma reads 32 bytes along K of each of `rows` rows of operand a, or of each of `rows` columns of operand b. In
// this file, the columns of operand b are also called rows. A 64-bit descriptor gives the location of the operand in
// shared memory: the address of the first element, the leading and the stride byte offset, and a swizzle S of 0 (none),
// 32, 64 or 128 bytes.
//
//   bits   0-13   address / 16
//         16-29   leading byte offset / 16
//         32-45   stride byte offset / 16
//         62-63   swizzle: 0 none, 1 128, 2 64, 3 32
//
// If K is the fastest dimension, r is a row and b a byte along K. If the rows are the fastest dimension (transposed), k
// is an index along K and r' a byte along the rows. The address is `swizzled` of
//
//   K is fastest     S > 0   start + S (r mod 8) + stride (r div 8) + b
//                    S = 0   start + 16 (r mod 8) + stride (r div 8) + leading (b div 16) + b mod 16
//   rows are         S > 0   start + S (k mod 8) + stride (k div 8) + leading (r' div S) + r' mod S
//   (transposed)     S = 0   start + 16 (k mod 8) + leading (k div 8) + stride (r' div 16) + r' mod 16
//
// `swizzled` permutes units of 16 bytes according to higher bits of the address:
//
//   swizzled(x) = x XOR 16 ((x div 128) mod (S / 16))
//
// nvidiaSharedLayout applies the same permutation to rows, if the buffer begins at a multiple of 8 S bytes. For such
// aligned buffers, bits 49-51 of the descriptor, which shift the permutation, are 0. To move an aligned address along K
// or to other rows, a constant is added to the address.
//
// PTX ISA 9.0, "Matrix Descriptor Format", "Strides", "Canonical Layouts" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_MATRIXDESCRIPTOR_H
#define HOCKET_LAYOUT_MATRIXDESCRIPTOR_H

#include "layout/LinearLayout.h"

#include <optional>

namespace hocket {

/// Number of bytes along K that one wgmma reads from each row.
inline constexpr uint32_t kWgmmaDepthBytes = 32;

struct MatrixDescriptor {
  uint32_t start = 0; ///< start address in shared memory; all fields are in bytes
  uint32_t leading = 16, stride = 16;
  uint32_t swizzle = 0;

  bool operator==(const MatrixDescriptor &) const = default;
  uint64_t encode() const;
  static MatrixDescriptor decode(uint64_t bits);
  /// Returns the number to add to an encoded descriptor in order to move the start by `bytes`, a multiple of 16.
  static constexpr uint64_t advance(int64_t bytes) { return uint64_t(bytes / 16); }

  /// Returns the address of byte `byte` along the fastest dimension and index `slow` along the other dimension. The
  /// fastest dimension is that of the rows if `isTransposed`, otherwise K.
  uint32_t address(uint32_t slow, uint32_t byte, bool isTransposed) const;
};

/// Applies a swizzle of `swizzle` bytes to an address (see the formula at the top of this file). The function is its
/// own inverse.
constexpr uint32_t swizzled(uint32_t address, uint32_t swizzle) {
  return swizzle ? address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4) : address;
}

/// A matrix in shared memory that wgmma descriptors can express.
struct DescribedMatrix {
  /// Descriptor of the part of the matrix that the first wgmma reads, with the start address 0.
  MatrixDescriptor descriptor;
  bool isTransposed = false;
  /// Maps coordinates to byte offsets from the start of the buffer, before swizzling. A descriptor of another part of
  /// the matrix has the byte offset of that part added to the start address.
  LinearLayout bytes;
};

/// Returns the descriptor of a matrix for wgmma instructions that read `rows` rows. `own` is the dimension along which
/// rows are counted (M of operand a, N of operand b), and `alongK` is the K dimension. `toOffset` maps coordinates to
/// offsets in elements. Returns nullopt if no descriptor expresses the layout.
std::optional<DescribedMatrix> describeMatrix(const LinearLayout &toOffset, Dim own, Dim alongK, int64_t rows,
                                              int64_t elementBits);

} // namespace hocket

#endif
