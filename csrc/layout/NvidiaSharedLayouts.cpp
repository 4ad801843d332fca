//===- NvidiaSharedLayouts.cpp - Shared memory layouts of TMA and wgmma -----------===//
#include "layout/NvidiaSharedLayouts.h"

#include <algorithm>
#include <vector>

namespace hocket {

static constexpr int64_t kPieceBits = 128;
/// Number of bytes of one row of banks: 32 banks of 4 bytes.
static constexpr int64_t kBankRowBytes = 128;

LinearLayout nvidiaSharedLayout(Sizes shape, const NvidiaSharedParams &params) {
  std::vector<int64_t> order; // tensor dimensions, from the fastest to the slowest
  for (size_t dim = shape.size(); dim-- > 0;)
    order.push_back(int64_t(dim));
  if (params.transposed)
    std::swap(order[0], order[1]);
  if (params.swizzleBytes == 0)
    return swizzledSharedLayout(shape, 1, 1, 1, order);

  // Layout of one strip, which is `swizzleBytes` wide. All rows of the tile form one dimension.
  int64_t length = shape[size_t(order[0])], rows = 1;
  for (size_t i = 1; i < order.size(); ++i)
    rows *= shape[size_t(order[i])];
  int64_t columns = std::min(length, params.columns());
  const int64_t tileShape[] = {rows, columns}, tileOrder[] = {1, 0};
  LinearLayout tile =
      swizzledSharedLayout(tileShape, kPieceBits / params.elementBits, kBankRowBytes / params.swizzleBytes,
                           params.swizzleBytes * 8 / kPieceBits, tileOrder);

  // Splits the row dimension into the tensor's dimensions. Repeats the layout for the other strips.
  std::vector<DimBits> ins = {{Dim::Offset, uint8_t(log2Exact(rows * length))}, {Dim::Block, 0}};
  std::vector<DimBits> outs;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    outs.push_back({tensorDim(dim), uint8_t(log2Exact(shape[dim]))});
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  unsigned tileBits = unsigned(log2Exact(rows * columns));
  for (unsigned bit = 0; bit < ins[0].bits; ++bit) {
    bool isInTile = bit < tileBits;
    int64_t row = isInTile ? tile.getBasis(Dim::Offset, bit, tensorDim(0)) : 0;
    int64_t column = isInTile ? tile.getBasis(Dim::Offset, bit, tensorDim(1)) : columns << (bit - tileBits);
    std::vector<DimIndex> value = {{tensorDim(size_t(order[0])), int32_t(column)}};
    for (size_t i = 1; i < order.size(); ++i) {
      int64_t size = shape[size_t(order[i])];
      value.push_back({tensorDim(size_t(order[i])), int32_t(row % size)});
      row /= size;
    }
    layout.setBasis(Dim::Offset, bit, value);
  }
  return layout;
}

} // namespace hocket
