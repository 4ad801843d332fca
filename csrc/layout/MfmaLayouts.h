//===- MfmaLayouts.h - Register layouts of MFMA operands and results --------------===//
//
// The accumulators of one MFMA with a result of M x N are distributed over the 64 lanes of a wave. Register r of lane l
// holds
//
//     column n = l % N,   row m = 4 (l / N) + r % 4 + (256 / N) (r / 4)
//
// Therefore a lane holds four consecutive rows of its column, then skips the rows that other lanes of the column hold.
// Columns 0 and 1 of a 32 x 32 result:
//
//                n = 0    n = 1
//     m = 0..3   lane 0   lane 1    registers 0-3
//     m = 4..7   lane 32  lane 33   registers 0-3
//     m = 8..11  lane 0   lane 1    registers 4-7
//     ...
//
// With `transposed`, operands a and b are exchanged, so that the MFMA computes the transposed result. A lane then holds
// four adjacent columns of a row. The lane can store 8 or 16 bytes at once, and holds the elements that operand a of a
// following MFMA needs.
//
// With accumulators of 64 bits, a lane holds the single rows l / 16, l / 16 + 4, ... instead of groups of four
// consecutive rows. A 4 x 4 result has fewer elements than the wave has lanes: each of the 16 groups of 4 lanes holds
// the whole result.
//
// Lane l holds row l % M of operand a at k = kWidth (l / M) + i for i in [0, kWidth). These indices repeat along K with
// a period of 64 / M x kWidth. Lane l holds column l % N of operand b at the same k. Consecutive MFMAs read consecutive
// elements of each lane along K. The instruction sums over k in any order, so k can be permuted as long as a and b
// agree. Any kWidth therefore gives the right result, provided that a and b have the same kWidth. The best kWidth
// depends on the source of the operands: a ds_read_b128 loads 8 f16 elements, and the result of an earlier MFMA has
// runs of 4 elements.
//
// If the result is 64 x 4 or 4 x 64, each lane holds one row or column of the operand along the side of size 64. All 16
// groups of 4 lanes hold the same rows or columns of the operand along the side of size 4. A lane then holds kWidth
// consecutive elements along K of both operands.
//
// Along N, the N columns of one result are repeated over the tiles of a warp, then over the warps, and then over
// further registers up to the tensor's width. Along M, the M rows of one result are repeated in the same way. The batch
// dimension is repeated last. Operand a has no dimension N, and operand b has no dimension M. Warps that differ only
// along the absent dimension hold copies of the operand. If the tensor is smaller than the layout, several lanes or
// warps hold the same elements, as in blockedLayout.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_MFMALAYOUTS_H
#define HOCKET_LAYOUT_MFMALAYOUTS_H

#include "layout/Factories.h"

namespace hocket {

struct MfmaParams {
  /// Size m x n of the result of one MFMA: 32 x 32, 16 x 16, 64 x 4, 4 x 64 or 4 x 4.
  int64_t m, n;
  bool transposed;
  /// Number of bits of an accumulator: 32 or 64.
  int64_t elementBits;
  /// Numbers of warps and of tiles along [M, N] or [batch, M, N]. An empty tilesPerWarp means one tile along each
  /// dimension.
  Sizes warpsPerCta, tilesPerWarp;

  unsigned rank() const { return warpsPerCta.size(); }
  int64_t tilesAlong(unsigned dim) const { return tilesPerWarp.empty() ? 1 : tilesPerWarp[dim]; }
  /// Returns the number of groups of lanes along K. Each group holds another run of kWidth elements.
  int64_t laneGroupsAlongK() const { return 64 / (m > n ? m : n); }
};

/// Maps (register, lane) to (dim0, dim1) for the accumulators of one M x N instruction. The registers are numbered as
/// in the instruction, including registers that hold copies.
LinearLayout mfmaResultTile(const MfmaParams &params);

LinearLayout mfmaLayout(Sizes shape, const MfmaParams &params);
/// Returns the register layout of an MFMA operand: operand 0 of shape [..., M, K], or operand 1 of shape [..., K, N].
LinearLayout mfmaOperandLayout(unsigned opIdx, int64_t kWidth, Sizes shape, const MfmaParams &params);

/// Returns the layout of the scales of operand `opIdx` of a scaled MFMA: [M, K / 32] or [N, K / 32]. Lane l holds one
/// scale per instruction: the scale of row l % M and of the (l / M)-th group of 32 elements along K.
LinearLayout mfmaScaleLayout(unsigned opIdx, Sizes shape, const MfmaParams &params);

} // namespace hocket

#endif
