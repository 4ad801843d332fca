//===- NvidiaMmaLayouts.cpp - Register layouts of mma.sync and wgmma --------------===//
#include "layout/NvidiaMmaLayouts.h"

#include <algorithm>
#include <optional>

namespace hocket {

/// kLaneRows is the number of rows that one register holds across the lanes of a warp. kRowPairs is the number of such
/// groups of rows in a result.
static constexpr int64_t kLaneRows = 8, kRowPairs = kNvidiaMmaRows / kLaneRows;
static constexpr int64_t kColumnsPerLane = 2;

/// Repeats `tile` over registers until `tile` has the size `size` along the dimension `out`.
static void repeat(LinearLayout &tile, Dim out, int64_t size) {
  tile *= LinearLayout::identity1D(std::max<int64_t>(1, size / tile.getOutDimSize(out)), Dim::Register, out);
}

/// Repeats `tile` over the warps: along N first in version 2, along M first in version 3. Operand a has no dimension N
/// and operand b no dimension M: warps that differ only along the absent dimension hold copies.
static void dealToWarps(LinearLayout &tile, const NvidiaMmaParams &params, unsigned row, unsigned column,
                        std::optional<unsigned> lacking) {
  unsigned order[] = {column, row};
  if (params.version == 3)
    std::swap(order[0], order[1]);
  for (unsigned dim : order)
    tile *= dim == lacking
                ? LinearLayout::zeros1D(params.warpsPerCta[dim], Dim::Warp, tensorDim(dim == row ? column : row))
                : LinearLayout::identity1D(params.warpsPerCta[dim], Dim::Warp, tensorDim(dim));
}

static LinearLayout finish(LinearLayout tile, const NvidiaMmaParams &params, Sizes shape) {
  if (params.rank() == 3) {
    tile *= LinearLayout::identity1D(params.warpsPerCta[0], Dim::Warp, tensorDim(0));
    repeat(tile, tensorDim(0), shape[0]);
  }
  for (unsigned dim = 0; dim < params.rank(); ++dim)
    tile *= LinearLayout::identity1D(1, Dim::Block, tensorDim(dim));
  return fitToShape(tile, shape);
}

static LinearLayout resultTile(int64_t n, Dim rows, Dim columns) {
  LinearLayout tile = LinearLayout::identity1D(kColumnsPerLane, Dim::Register, columns) *
                      LinearLayout::identity1D(kNvidiaMmaLanesAlongK, Dim::Lane, columns) *
                      LinearLayout::identity1D(kLaneRows, Dim::Lane, rows) *
                      LinearLayout::identity1D(kRowPairs, Dim::Register, rows);
  repeat(tile, columns, n);
  return tile;
}

LinearLayout nvidiaMmaResultTile(int64_t n) {
  return resultTile(n, tensorDim(0), tensorDim(1)).transposeOuts({tensorDim(0), tensorDim(1)});
}

LinearLayout nvidiaMmaLayout(Sizes shape, const NvidiaMmaParams &params) {
  unsigned row = params.rank() - 2, column = params.rank() - 1;
  Dim rows = tensorDim(row), columns = tensorDim(column);
  LinearLayout tile = resultTile(params.n, rows, columns);
  dealToWarps(tile, params, row, column, std::nullopt);
  repeat(tile, columns, shape[column]);
  repeat(tile, rows, shape[row]);
  return finish(tile, params, shape);
}

LinearLayout nvidiaMmaOperandLayout(unsigned opIdx, int64_t kWidth, Sizes shape, const NvidiaMmaParams &params) {
  unsigned row = params.rank() - 2, column = params.rank() - 1;
  unsigned own = opIdx == 0 ? row : column, alongK = opIdx == 0 ? column : row;
  Dim ownDim = tensorDim(own), dimK = tensorDim(alongK);
  LinearLayout tile = LinearLayout::identity1D(kWidth, Dim::Register, dimK) *
                      LinearLayout::identity1D(kNvidiaMmaLanesAlongK, Dim::Lane, dimK) *
                      LinearLayout::identity1D(kLaneRows, Dim::Lane, ownDim);
  if (opIdx == 0)
    tile *= LinearLayout::identity1D(kRowPairs, Dim::Register, ownDim);
  tile *= LinearLayout::identity1D(2, Dim::Register, dimK);
  repeat(tile, dimK, shape[alongK]);
  dealToWarps(tile, params, row, column, alongK);
  repeat(tile, ownDim, shape[own]);
  return finish(tile, params, shape);
}

} // namespace hocket
