//===- MatrixDescriptorTest.cpp - Matrix descriptors of wgmma ---------------------------===//
#include "layout/MatrixDescriptor.h"
#include "layout/NvidiaSharedLayouts.h"

#include <gtest/gtest.h>

using namespace hocket;
using Ints = std::vector<int64_t>;

namespace {

constexpr Dim kRows = Dim::Dim0, kDepth = tensorDim(1);

/// Returns the map from coordinates to element offsets.
LinearLayout offsetsOf(const LinearLayout &shared) {
  const Dim offset[] = {Dim::Offset}, dims[] = {kRows, kDepth};
  return shared.sublayout(offset, dims).invert();
}

struct Case {
  int64_t rows, depth, swizzle, bits;
  bool transposed;
};

/// Compares every address of the descriptors, for each start of an instruction, with the layout.
void expectSameAddresses(const Case &it, int64_t rowsPerInstruction) {
  LinearLayout toOffset = offsetsOf(nvidiaSharedLayout(Ints{it.rows, it.depth}, {it.swizzle, it.bits, it.transposed}));
  auto found = describeMatrix(toOffset, kRows, kDepth, rowsPerInstruction, it.bits);
  ASSERT_TRUE(found) << it.swizzle << " " << it.bits << " " << it.transposed;
  EXPECT_EQ(found->isTransposed, it.transposed);
  constexpr uint32_t kBase = 3 * 1024;
  int64_t bytes = it.bits / 8, depthPerInstruction = 32 / bytes;
  for (int64_t row = 0; row < it.rows; row += rowsPerInstruction)
    for (int64_t k = 0; k < it.depth; k += depthPerInstruction) {
      MatrixDescriptor descriptor = found->descriptor;
      descriptor.start =
          kBase + uint32_t(found->bytes.apply({{kRows, int32_t(row)}, {kDepth, int32_t(k)}})[Dim::Offset]);
      descriptor = MatrixDescriptor::decode(descriptor.encode());
      for (int64_t r = 0; r < rowsPerInstruction; ++r)
        for (int64_t d = 0; d < depthPerInstruction; ++d) {
          uint32_t address = it.transposed ? descriptor.address(uint32_t(d), uint32_t(r * bytes), true)
                                           : descriptor.address(uint32_t(r), uint32_t(d * bytes), false);
          int32_t offset = toOffset.apply({{kRows, int32_t(row + r)}, {kDepth, int32_t(k + d)}})[Dim::Offset];
          ASSERT_EQ(address, kBase + uint32_t(offset * bytes)) << "row " << row + r << ", k " << k + d;
        }
    }
}

} // namespace

TEST(MatrixDescriptor, ReadsWhatTheLayoutSays) {
  for (int64_t swizzle : {32, 64, 128})
    for (int64_t rowsPerInstruction : {8, 16, 64})
      for (int64_t bits : {8, 16, 32}) {
        expectSameAddresses({128, 2 * swizzle * 8 / bits, swizzle, bits, false}, rowsPerInstruction);
        if (bits == 16)
          expectSameAddresses({128, 64, swizzle, bits, true}, rowsPerInstruction);
      }
}

TEST(MatrixDescriptor, WithoutSwizzleRowsAreOnePiece) {
  expectSameAddresses({8, 64, 0, 16, true}, 8);
  LinearLayout rowMajor = offsetsOf(nvidiaSharedLayout(Ints{64, 64}, {0, 16, false}));
  EXPECT_FALSE(describeMatrix(rowMajor, kRows, kDepth, 64, 16));
}

TEST(MatrixDescriptor, RefusesWhatItCannotSay) {
  // For bytes and words, K is the fastest dimension.
  for (int64_t bits : {8, 32}) {
    LinearLayout turned = offsetsOf(nvidiaSharedLayout(Ints{64, 64}, {64, bits, true}));
    EXPECT_FALSE(describeMatrix(turned, kRows, kDepth, 64, bits));
  }
  // Swizzled over eight units, but only every two rows.
  const int64_t shape[] = {64, 64}, order[] = {1, 0};
  EXPECT_TRUE(describeMatrix(offsetsOf(swizzledSharedLayout(shape, 8, 1, 8, order)), kRows, kDepth, 64, 16));
  EXPECT_FALSE(describeMatrix(offsetsOf(swizzledSharedLayout(shape, 8, 2, 8, order)), kRows, kDepth, 64, 16));
}

TEST(MatrixDescriptor, FieldsAreWhereTheHardwareLooks) {
  MatrixDescriptor descriptor = {.start = 0x2340, .leading = 16, .stride = 1024, .swizzle = 128};
  EXPECT_EQ(descriptor.encode(), 0x4000'0040'0001'0234u);
  EXPECT_EQ(MatrixDescriptor::decode(descriptor.encode()), descriptor);
  EXPECT_EQ(MatrixDescriptor::decode(descriptor.encode() + MatrixDescriptor::advance(32)).start, 0x2360u);
  descriptor.swizzle = 32;
  EXPECT_EQ(descriptor.encode() >> 62, 3u);
}
