//===- MatrixDescriptor.h - How wgmma reads a matrix of shared memory -------------===//
//
// A wgmma reads `rows` of a (columns of b: here they are called rows, too) x 32 bytes along K. Where they are, 64 bits
// say: the address of the first element, two distances, and a swizzle S of 0 (none), 32, 64 or 128 bytes.
//
//   bits   0-13   address / 16
//         16-29   "leading" distance / 16
//         32-45   "stride" distance / 16
//         62-63   swizzle: 0 none, 1 128, 2 64, 3 32
//
// The address of row r and byte b along K, or, transposed, of byte r' along the rows and of k, is `swizzled` of
//
//   K is fastest     S > 0   start + S (r mod 8) + stride (r div 8) + b
//                    S = 0   start + 16 (r mod 8) + stride (r div 8) + leading (b div 16) + b mod 16
//   rows are         S > 0   start + S (k mod 8) + stride (k div 8) + leading (r' div S) + r' mod S
//   (transposed)     S = 0   start + 16 (k mod 8) + leading (k div 8) + stride (r' div 16) + r' mod 16
//
// where `swizzled` exchanges pieces of 16 bytes by bits of the address itself:
//
//   swizzled(x) = x XOR 16 ((x div 128) mod (S / 16))
//
// That is what nvidiaSharedLayout does to rows, if the buffer begins at a multiple of 8 S bytes. As long as it does,
// bits 49-51 (which shift the pattern) are 0, and to go on along K, or to other rows, is to add to the address.
//
// PTX ISA 9.0, "Matrix Descriptor Format", "Strides", "Canonical Layouts" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_MATRIXDESCRIPTOR_H
#define HOCKET_LAYOUT_MATRIXDESCRIPTOR_H

#include "layout/LinearLayout.h"

#include <optional>

namespace hocket {

struct MatrixDescriptor {
  uint32_t start = 0; ///< bytes, as all here
  uint32_t leading = 16, stride = 16;
  uint32_t swizzle = 0;

  bool operator==(const MatrixDescriptor &) const = default;
  uint64_t encode() const;
  static MatrixDescriptor decode(uint64_t bits);
  /// What to add to the encoding to begin `bytes` further, a multiple of 16.
  static constexpr uint64_t advance(int64_t bytes) { return uint64_t(bytes / 16); }

  /// Where byte `byte` along the fastest dimension is, at `slow` along the other one. `isTransposed`: rows are fastest.
  uint32_t address(uint32_t slow, uint32_t byte, bool isTransposed) const;
};

/// x exchanged as above; its own inverse.
constexpr uint32_t swizzled(uint32_t address, uint32_t swizzle) {
  return swizzle ? address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4) : address;
}

/// A matrix that descriptors can say.
struct DescribedMatrix {
  /// Of what the first instruction reads, without the address.
  MatrixDescriptor descriptor;
  bool isTransposed = false;
  /// Coordinates -> bytes from the start of the buffer, before the exchange: what an address moves by.
  LinearLayout bytes;
};

/// How instructions of `rows` along dimension `own` read a buffer with `toOffset` (coordinates -> element offsets), K
/// along the other dimension; nothing where no descriptor says what the layout says.
std::optional<DescribedMatrix> describeMatrix(const LinearLayout &toOffset, Dim own, Dim alongK, int64_t rows,
                                              int64_t elementBits);

} // namespace hocket

#endif
