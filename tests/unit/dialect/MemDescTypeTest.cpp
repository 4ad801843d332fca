//===- MemDescTypeTest.cpp - Slots, strides and sizes of memory descriptors -------===//
#include "DialectTest.h"

using namespace hocket::hk;

namespace {

class MemDesc : public DialectTest {};

TEST_F(MemDesc, DimensionsBeyondTheLayoutAreSlots) {
  auto ring = memDesc("!hk.memdesc<3x64x32xf16, #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 8, "
                      "order = [1, 0]>>");
  EXPECT_EQ(ring.getSlotRank(), 1u);
  EXPECT_EQ(ring.getTileShape(), (llvm::ArrayRef<int64_t>{64, 32}));
  EXPECT_EQ(ring.getSlotStride(), 64 * 32);
  EXPECT_EQ(ring.getAllocBytes(), 3 * 64 * 32 * 2);
}

TEST_F(MemDesc, AViewHasTheBytesOfItsBuffer) {
  auto half = memDesc("!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 8, "
                      "order = [1, 0]>, 64x32>");
  EXPECT_EQ(half.getSlotRank(), 0u);
  EXPECT_EQ(half.getTileShape(), (llvm::ArrayRef<int64_t>{64, 16}));
  EXPECT_EQ(half.getAllocTileShape(), (llvm::ArrayRef<int64_t>{64, 32}));
  EXPECT_EQ(half.getAllocBytes(), 64 * 32 * 2);
}

TEST_F(MemDesc, PaddingCountsBetweenSlotsButNotAfterTheLast) {
  //   offset   0 1 2 3 . . 4 5 6 7 . .  | next slot
  auto ring = memDesc("!hk.memdesc<2x2x4xi32, #hk.padded_shared<intervals = [4], paddings = [2], "
                      "offset = [[0, 1], [0, 2], [1, 0]], block = [], shape = [2, 4]>>");
  EXPECT_EQ(ring.getSlotStride(), 12);
  EXPECT_EQ(ring.getAllocBytes(), (12 + 10) * 4);
}

TEST_F(MemDesc, PrintsTheBufferOnlyWhereItDiffers) {
  std::string layout = "#hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>";
  for (std::string text : {"!hk.memdesc<8xf32, " + layout + ">", "!hk.memdesc<8xf32, " + layout + ", 32>"})
    EXPECT_EQ(toText(memDesc(text)), text);
}

} // namespace
