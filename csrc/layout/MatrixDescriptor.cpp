//===- MatrixDescriptor.cpp - Matrix descriptors of wgmma -------------------------===//
#include "layout/MatrixDescriptor.h"

#include "layout/Factories.h"
#include "layout/MatrixAccess.h"

#include <bit>

namespace hocket {

/// kPieceBytes is the size of the unit that swizzling permutes. kRows is the number of rows of a core matrix.
static constexpr uint32_t kPieceBytes = kMatrixRowBytes, kRows = kMatrixRows;
/// Mask of an address or byte offset in a descriptor: 14 bits, in units of 16 bytes.
static constexpr uint64_t kFieldMask = 0x3fff;

static constexpr uint32_t kSwizzleCodes[] = {0, 128, 64, 32};

static uint64_t field(uint32_t bytes, unsigned shift) { return (bytes / kPieceBytes & kFieldMask) << shift; }
static uint32_t bytesOf(uint64_t bits, unsigned shift) { return uint32_t(bits >> shift & kFieldMask) * kPieceBytes; }

uint64_t MatrixDescriptor::encode() const {
  uint64_t code = 0;
  while (kSwizzleCodes[code] != swizzle)
    ++code;
  return field(start, 0) | field(leading, 16) | field(stride, 32) | code << 62;
}

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  return {bytesOf(bits, 0), bytesOf(bits, 16), bytesOf(bits, 32), kSwizzleCodes[bits >> 62]};
}

uint32_t MatrixDescriptor::address(uint32_t slow, uint32_t byte, bool isTransposed) const {
  uint32_t row = swizzle ? swizzle : kPieceBytes;
  bool isLeadingFast = !isTransposed || swizzle;
  uint32_t fast = isLeadingFast ? leading : stride, others = isLeadingFast ? stride : leading;
  uint32_t linear = start + row * (slow % kRows) + others * (slow / kRows) + fast * (byte / row) + byte % row;
  return swizzled(linear, swizzle);
}

namespace {

/// Tries to express a layout by descriptors with the given `swizzle`.
class Matcher {
public:
  Matcher(const LinearLayout &toOffset, int64_t elementBytes, uint32_t swizzle)
      : toOffset(toOffset), elementBytes(uint32_t(elementBytes)), swizzle(swizzle),
        row(swizzle ? swizzle : kPieceBytes) {}

  std::optional<DescribedMatrix> match(Dim own, Dim alongK, uint32_t rows, bool isTransposed);

private:
  uint32_t bytes(Dim dim, unsigned bit) const {
    return swizzled(uint32_t(toOffset.getBasis(dim, bit, Dim::Offset)) * elementBytes, swizzle);
  }
  /// True if the first `size` indices of `dim` have the addresses that a descriptor can express. Within runs of
  /// `within` bytes, consecutive indices are `unit` bytes apart. The distance between runs must be constant and is
  /// stored in `distance`.
  bool isAt(Dim dim, uint32_t size, uint32_t unit, uint32_t within, std::optional<uint32_t> &distance) const;
  std::optional<LinearLayout> map() const;

  const LinearLayout &toOffset;
  uint32_t elementBytes, swizzle, row;
};

bool Matcher::isAt(Dim dim, uint32_t size, uint32_t unit, uint32_t within, std::optional<uint32_t> &distance) const {
  uint32_t inside = unit;
  for (unsigned bit = 0; uint32_t(1) << bit < size; ++bit) {
    if (bit >= toOffset.getInDimSizeLog2(dim))
      return false;
    if (inside < within) {
      if (bytes(dim, bit) != inside)
        return false;
      inside *= 2;
      continue;
    }
    if (!distance)
      distance = bytes(dim, bit);
    uint32_t first = uint32_t(std::countr_zero(within / unit));
    if (bytes(dim, bit) != *distance << (bit - first))
      return false;
  }
  return true;
}

/// Returns the map from coordinates to byte offsets; nullopt unless each coordinate bit changes the address by a
/// different power of two. The address of another part of the operand can then be computed with an addition.
std::optional<LinearLayout> Matcher::map() const {
  std::vector<DimBits> ins(toOffset.getInDims().begin(), toOffset.getInDims().end());
  const DimBits out = {Dim::Offset, uint8_t(toOffset.getOutDimSizeLog2(Dim::Offset) + log2Exact(elementBytes))};
  LinearLayout result = LinearLayout::zeros(ins, std::span(&out, 1));
  uint32_t seen = 0;
  for (DimBits in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint32_t moved = bytes(in.dim, bit);
      if (!std::has_single_bit(moved) || (seen & moved))
        return std::nullopt;
      seen |= moved;
      const DimIndex value = {Dim::Offset, int32_t(moved)};
      result.setBasis(in.dim, bit, std::span(&value, 1));
    }
  return result;
}

std::optional<DescribedMatrix> Matcher::match(Dim own, Dim alongK, uint32_t rows, bool isTransposed) {
  std::optional<uint32_t> alongFast, alongSlow;
  Dim fast = isTransposed ? own : alongK, slow = isTransposed ? alongK : own;
  uint32_t depth = kWgmmaDepthBytes / elementBytes;
  uint32_t sizeFast = isTransposed ? rows : depth, sizeSlow = isTransposed ? depth : rows;
  if (!isAt(fast, sizeFast, elementBytes, row, alongFast) || !isAt(slow, sizeSlow, row, kRows * row, alongSlow))
    return std::nullopt;
  std::optional<LinearLayout> linear = map();
  if (!linear)
    return std::nullopt;
  // Assigns the distances between runs to the descriptor's fields. The value of a field that the instruction does not
  // use is arbitrary.
  uint32_t fastDistance = alongFast.value_or(kPieceBytes), slowDistance = alongSlow.value_or(kRows * row);
  bool isLeadingFast = !isTransposed || swizzle;
  MatrixDescriptor descriptor = {.start = 0,
                                 .leading = isLeadingFast ? fastDistance : slowDistance,
                                 .stride = isLeadingFast ? slowDistance : fastDistance,
                                 .swizzle = swizzle};
  return DescribedMatrix{descriptor, isTransposed, *std::move(linear)};
}

} // namespace

std::optional<DescribedMatrix> describeMatrix(const LinearLayout &toOffset, Dim own, Dim alongK, int64_t rows,
                                              int64_t elementBits) {
  int64_t elementBytes = elementBits / 8;
  for (uint32_t swizzle : {128u, 64u, 32u, 0u})
    for (bool isTransposed : {false, true}) {
      if (isTransposed && elementBytes != 2)
        continue;
      if (auto found = Matcher(toOffset, elementBytes, swizzle).match(own, alongK, uint32_t(rows), isTransposed))
        return found;
    }
  return std::nullopt;
}

} // namespace hocket
