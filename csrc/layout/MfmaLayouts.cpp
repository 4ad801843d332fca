//===- MfmaLayouts.cpp - Register layouts of MFMA operands and results ------------===//
#include "layout/MfmaLayouts.h"
#include "layout/WarpSizes.h"

#include <algorithm>
#include <cassert>

namespace hocket {

/// Returns the layout of the accumulators of one MFMA. Consecutive lanes hold consecutive elements along `laneDim`.
/// Registers and groups of lanes hold consecutive elements along `groupDim`.
static LinearLayout resultTile(const MfmaParams &params, Dim rowDim, Dim columnDim) {
  Dim laneDim = params.transposed ? rowDim : columnDim, groupDim = params.transposed ? columnDim : rowDim;
  int64_t lanes = params.transposed ? params.m : params.n, group = params.transposed ? params.n : params.m;
  int64_t height = params.elementBits == 64 ? 1 : 4;
  int64_t laneGroups = std::min<int64_t>(kAmdWaveSize / lanes, group / height);
  return LinearLayout::identity1D(height, Dim::Register, groupDim) *
         LinearLayout::identity1D(lanes, Dim::Lane, laneDim) *
         LinearLayout::identity1D(laneGroups, Dim::Lane, groupDim) *
         LinearLayout::zeros1D(kAmdWaveSize / (lanes * laneGroups), Dim::Lane, groupDim) *
         LinearLayout::identity1D(group / (height * laneGroups), Dim::Register, groupDim);
}

LinearLayout mfmaResultTile(const MfmaParams &params) {
  return resultTile(params, tensorDim(0), tensorDim(1)).transposeOuts({tensorDim(0), tensorDim(1)});
}

/// Repeats `tile` along the dimension `out`: over the registers of tilesPerWarp, over the warps of warpsPerCta, and
/// then over further registers up to `size`.
static void spread(LinearLayout &tile, const MfmaParams &params, unsigned dim, Dim out, int64_t size) {
  tile *= LinearLayout::identity1D(params.tilesAlong(dim), Dim::Register, out);
  tile *= LinearLayout::identity1D(params.warpsPerCta[dim], Dim::Warp, out);
  int64_t covered = tile.getOutDimSize(out);
  tile *= LinearLayout::identity1D(std::max<int64_t>(1, size / covered), Dim::Register, out);
}

static LinearLayout finish(LinearLayout tile, const MfmaParams &params, Sizes shape) {
  if (params.rank() == 3)
    spread(tile, params, 0, tensorDim(0), shape[0]);
  for (unsigned dim = 0; dim < params.rank(); ++dim)
    tile *= LinearLayout::identity1D(1, Dim::Block, tensorDim(dim));
  return fitToShape(tile, shape);
}

LinearLayout mfmaLayout(Sizes shape, const MfmaParams &params) {
  unsigned row = params.rank() - 2, column = params.rank() - 1;
  LinearLayout tile = resultTile(params, tensorDim(row), tensorDim(column));
  spread(tile, params, column, tensorDim(column), shape[column]);
  spread(tile, params, row, tensorDim(row), shape[row]);
  return finish(tile, params, shape);
}

LinearLayout mfmaOperandLayout(unsigned opIdx, int64_t kWidth, Sizes shape, const MfmaParams &params) {
  unsigned row = params.rank() - 2, column = params.rank() - 1;
  unsigned own = opIdx == 0 ? row : column, alongK = opIdx == 0 ? column : row;
  Dim ownDim = tensorDim(own), dimK = tensorDim(alongK);
  int64_t lanes = opIdx == 0 ? params.m : params.n, groups = params.laneGroupsAlongK();

  LinearLayout tile = LinearLayout::identity1D(kWidth, Dim::Register, dimK) *
                      LinearLayout::identity1D(lanes, Dim::Lane, ownDim) *
                      LinearLayout::identity1D(groups, Dim::Lane, dimK) *
                      LinearLayout::zeros1D(kAmdWaveSize / (lanes * groups), Dim::Lane, dimK);
  tile *= LinearLayout::identity1D(std::max<int64_t>(1, shape[alongK] / (kWidth * groups)), Dim::Register, dimK);
  // Warp bits are in the order of the accumulators: first along N, then along M.
  if (opIdx == 0)
    tile *= LinearLayout::zeros1D(params.warpsPerCta[column], Dim::Warp, ownDim);
  spread(tile, params, own, ownDim, shape[own]);
  if (opIdx == 1)
    tile *= LinearLayout::zeros1D(params.warpsPerCta[row], Dim::Warp, ownDim);
  return finish(tile, params, shape);
}

LinearLayout mfmaScaleLayout(unsigned opIdx, Sizes shape, const MfmaParams &params) {
  assert(shape.size() == 2 && params.rank() == 2);
  if (opIdx == 0)
    return mfmaOperandLayout(0, 1, shape, params);
  // The layout of the scales of operand b, of shape [N, K / 32], is the transpose of the layout of an operand b of
  // shape [K / 32, N].
  const int64_t exchanged[] = {shape[1], shape[0]};
  LinearLayout layout = mfmaOperandLayout(1, 1, exchanged, params);
  const DimBits outs[] = {{tensorDim(0), uint8_t(log2Exact(shape[0]))}, {tensorDim(1), uint8_t(log2Exact(shape[1]))}};
  return layout.transposeOuts({tensorDim(1), tensorDim(0)}).reshapeOuts(outs);
}

} // namespace hocket
