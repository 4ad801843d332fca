//===- NvidiaSharedLayoutsTest.cpp - Shared memory layouts of TMA and wgmma --------------===//
#include "layout/NvidiaSharedLayouts.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int64_t>;

namespace {

Coords at(const LinearLayout &layout, int32_t offset) { return layout.apply({{Offset, offset}, {Block, 0}}); }

/// Returns PTX's offset in elements of element (row, column) of a tile of `rows` rows.
int32_t placeByFormula(int32_t row, int32_t column, int32_t rows, int32_t swizzleBytes, int32_t elementBytes) {
  int32_t across = swizzleBytes / elementBytes, piece = 16 / elementBytes;
  int32_t block = column / across, within = column % across;
  int32_t swizzled = within / piece ^ row / (128 / swizzleBytes) % (swizzleBytes / 16);
  return block * rows * across + row * across + swizzled * piece + within % piece;
}

} // namespace

TEST(NvidiaSharedLayout, EverySwizzleAsTheFormulaSays) {
  for (int32_t bytes : {32, 64, 128})
    for (int32_t bits : {8, 16, 32, 64}) {
      int32_t columns = 2 * bytes * 8 / bits, rows = 32;
      LinearLayout layout = nvidiaSharedLayout(Ints{rows, columns}, {bytes, bits, false});
      LinearLayout transposed = nvidiaSharedLayout(Ints{columns, rows}, {bytes, bits, true});
      for (int32_t row = 0; row < rows; ++row)
        for (int32_t column = 0; column < columns; ++column) {
          int32_t place = placeByFormula(row, column, rows, bytes, bits / 8);
          EXPECT_EQ(at(layout, place), (Coords{{tensorDim(0), row}, {tensorDim(1), column}}));
          EXPECT_EQ(at(transposed, place), (Coords{{tensorDim(0), column}, {tensorDim(1), row}}));
        }
    }
}

TEST(NvidiaSharedLayout, WithoutSwizzleRowsFollowEachOther) {
  LinearLayout layout = nvidiaSharedLayout(Ints{8, 256}, {0, 16, false});
  EXPECT_EQ(at(layout, 255), (Coords{{tensorDim(0), 0}, {tensorDim(1), 255}}));
  EXPECT_EQ(at(layout, 256), (Coords{{tensorDim(0), 1}, {tensorDim(1), 0}}));
}

TEST(NvidiaSharedLayout, DimensionsBeforeTheLastAreRows) {
  LinearLayout matrix = nvidiaSharedLayout(Ints{64, 64}, {128, 16, false});
  LinearLayout cube = nvidiaSharedLayout(Ints{4, 16, 64}, {128, 16, false});
  for (int32_t offset = 0; offset < 64 * 64; ++offset) {
    Coords place = at(matrix, offset);
    EXPECT_EQ(at(cube, offset), (Coords{{tensorDim(0), place[tensorDim(0)] / 16},
                                        {tensorDim(1), place[tensorDim(0)] % 16},
                                        {tensorDim(2), place[tensorDim(1)]}}));
  }
}
