//===- MatrixDescriptor.h - Matrix descriptors of wgmma ---------------------------===//
//
// A wgmma reads 32 bytes along K of each of `rows` rows of operand a or `rows` columns of operand b (also called rows
// here). A 64-bit descriptor gives the location of the operand's bytes in shared memory: the address of the first
// element, the leading and the stride byte offset, and a swizzle S of 0 (none), 32, 64 or 128 bytes.
//
//   bits   0-13   address / 16
//         16-29   leading byte offset / 16
//         32-45   stride byte offset / 16
//         62-63   swizzle: 0 none, 1 128, 2 64, 3 32
//
// The address of row r and byte b along K, or, transposed, of byte r' along the rows and of k, is `swizzled` of
//
//   K is fastest     S > 0   start + S (r mod 8) + stride (r div 8) + b
//                    S = 0   start + 16 (r mod 8) + stride (r div 8) + leading (b div 16) + b mod 16
//   rows are         S > 0   start + S (k mod 8) + stride (k div 8) + leading (r' div S) + r' mod S
//   (transposed)     S = 0   start + 16 (k mod 8) + leading (k div 8) + stride (r' div 16) + r' mod 16
//
// `swizzled` exchanges units of 16 bytes by bits of the address itself:
//
//   swizzled(x) = x XOR 16 ((x div 128) mod (S / 16))
//
// nvidiaSharedLayout applies the same permutation to rows, if the buffer begins at a multiple of 8 S bytes. For aligned
// buffers, bits 49-51, which shift the pattern, are 0. A step along K, or to other rows, adds a constant to an aligned
// address.
//
// PTX ISA 9.0, "Matrix Descriptor Format", "Strides", "Canonical Layouts" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_MATRIXDESCRIPTOR_H
#define HOCKET_LAYOUT_MATRIXDESCRIPTOR_H

#include "layout/LinearLayout.h"

#include <optional>

namespace hocket {

/// Bytes along K that one wgmma reads.
inline constexpr uint32_t kWgmmaDepthBytes = 32;

struct MatrixDescriptor {
  uint32_t start = 0; ///< start address; all fields are in bytes
  uint32_t leading = 16, stride = 16;
  uint32_t swizzle = 0;

  bool operator==(const MatrixDescriptor &) const = default;
  uint64_t encode() const;
  static MatrixDescriptor decode(uint64_t bits);
  /// Returns the number to add to an encoded descriptor in order to move the start by `bytes`, a multiple of 16.
  static constexpr uint64_t advance(int64_t bytes) { return uint64_t(bytes / 16); }

  /// Returns the address of byte `byte` along the fastest dimension and index `slow` along the other dimension. If
  /// `isTransposed`, rows are the fastest dimension.
  uint32_t address(uint32_t slow, uint32_t byte, bool isTransposed) const;
};

/// Returns the swizzled address, as the file comment defines. The function is its own inverse.
constexpr uint32_t swizzled(uint32_t address, uint32_t swizzle) {
  return swizzle ? address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4) : address;
}

/// A matrix that descriptors can express.
struct DescribedMatrix {
  /// Descriptor of the part that the first instruction reads, without the address.
  MatrixDescriptor descriptor;
  bool isTransposed = false;
  /// Maps coordinates to bytes from the start of the buffer, before swizzling. The bytes are added to the descriptor's
  /// address to read another part.
  LinearLayout bytes;
};

/// Returns the descriptor of a buffer for instructions that read `rows` rows. `own` is the dimension along which rows
/// are counted (M of operand a, N of operand b), and `alongK` is the K dimension. `toOffset` maps coordinates to
/// element offsets. Returns nullopt if no descriptor expresses the layout.
std::optional<DescribedMatrix> describeMatrix(const LinearLayout &toOffset, Dim own, Dim alongK, int64_t rows,
                                              int64_t elementBits);

} // namespace hocket

#endif
