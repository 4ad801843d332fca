//===- NvidiaMmaLayouts.h - Register layouts of mma.sync and wgmma ----------------===//
//
// The 16 x N accumulators of one instruction are distributed over the 32 lanes of a warp. Four lanes share a row, and
// each lane holds two adjacent columns of every eight, in two rows that are eight apart:
//
//     columns   0 1      2 3      4 5      6 7
//     row 0     lane 0   lane 1   lane 2   lane 3
//     row 1     lane 4   lane 5   lane 6   lane 7
//     ...
//     row 8     lane 0   lane 1   lane 2   lane 3
//
// Registers 0 and 1 of lane l hold columns 2 (l % 4) and 2 (l % 4) + 1 of row l / 4. Registers 2 and 3 hold the same
// columns of row l / 4 + 8. The registers from 4 on hold the next eight columns.
//
// Version 2 (mma.sync) has N = 8, and tiles are assigned to warps along N first. Version 3 (wgmma) has N = 8, 16, ...
// 256, and tiles are assigned to warps along M first: the four warps of a warpgroup are consecutive along M.
//
// Lane l holds rows l / 4 and l / 4 + 8 of operand a at k = kWidth (l % 4) + i for i in [0, kWidth). These indices
// repeat along K with a period of 4 kWidth. Lane l holds column l / 4 of operand b at the same k. An instruction reads
// 4 bytes of each run of kWidth elements. The instruction sums over k in any order, so k can be permuted as long as a
// and b agree: a kWidth wider than 4 bytes also gives the right result.
//
// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16", "Register Fragments and Shared Memory Matrix Layouts" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_NVIDIAMMALAYOUTS_H
#define HOCKET_LAYOUT_NVIDIAMMALAYOUTS_H

#include "layout/Factories.h"

namespace hocket {

struct NvidiaMmaParams {
  /// Version of the MMA instruction: 2 for mma.sync, 3 for wgmma.
  int64_t version;
  /// Numbers of warps along [M, N] or [batch, M, N].
  Sizes warpsPerCta;
  /// Number of columns of the result of one instruction; 8 in version 2.
  int64_t n;

  unsigned rank() const { return warpsPerCta.size(); }
};

/// Number of rows of the result that one instruction computes per warp.
inline constexpr int64_t kNvidiaMmaRows = 16;
/// Number of lanes that share a row of operand a, a column of operand b, or a row of the accumulators.
inline constexpr int64_t kNvidiaMmaLanesAlongK = 4;

/// Maps (register, lane) to (dim0, dim1) for the 16 x n accumulators of one instruction.
LinearLayout nvidiaMmaResultTile(int64_t n);

LinearLayout nvidiaMmaLayout(Sizes shape, const NvidiaMmaParams &params);
/// Returns the register layout of an operand of mma.sync or wgmma: operand 0 of shape [..., M, K], or operand 1 of
/// shape [..., K, N].
LinearLayout nvidiaMmaOperandLayout(unsigned opIdx, int64_t kWidth, Sizes shape, const NvidiaMmaParams &params);

} // namespace hocket

#endif
