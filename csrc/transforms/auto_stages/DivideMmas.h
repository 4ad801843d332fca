//===- DivideMmas.h - Divides the MMAs of a loop along M, N and K -------------------===//
//
//     %x = hk.local_load %a                  %x0 = hk.local_load %a[:, 0:32]    %x1 = hk.local_load %a[:, 32:64]
//     %y = hk.local_load %b             =>   %y0 = hk.local_load %b[0:32, :]    %y1 = hk.local_load %b[32:64, :]
//     %d = hk_amd.mfma %x, %y, %acc          %d0 = hk_amd.mfma %x0, %y0, %acc
//                                            %d = hk_amd.mfma %x1, %y1, %d0
//
// The reads of one part can overlap the MMA of another part, and registers hold one part at a time.
//
// With parts along M and N, the loop carries one accumulator for each part of the result (a quadrant, with two parts
// each). An operand is read when the first part of the result needs it, and other parts use the same registers:
//
//     %d00 = hk_amd.mfma %x0, %y0, %acc00
//     %d01 = hk_amd.mfma %x0, %y1, %acc01
//     %d11 = hk_amd.mfma %x1, %y1, %acc11
//     %d10 = hk_amd.mfma %x1, %y0, %acc10
//
// The order of the additions to each element of an accumulator does not change, so results are bitwise equal.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_DIVIDEMMAS_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_DIVIDEMMAS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

/// The numbers of parts into which an MMA is divided along each of its three dimensions.
struct MmaParts {
  unsigned m = 1, n = 1, k = 1;

  unsigned count() const { return m * n * k; }
  bool hasQuadrants() const { return m * n > 1; }
};

/// Returns e.g. "2 along M and 4 along K".
std::string describe(const MmaParts &parts);

/// Divides each MMA in the body of `loop`, except asynchronous MMAs, into `parts`. Returns the changed loop, which
/// replaces `loop` if it carries more accumulators. If an MMA cannot be divided, or if there is none, the function
/// fails, and the loop is unchanged. An MMA can be divided along M and N only if the loop carries its result to the next
/// iteration, as the accumulator of the same MMA, and if nothing else in the loop uses the accumulator.
mlir::FailureOr<mlir::scf::ForOp> divideMmas(mlir::scf::ForOp loop, const MmaParts &parts);

} // namespace hocket

#endif
