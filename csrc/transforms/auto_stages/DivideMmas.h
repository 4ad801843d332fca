//===- DivideMmas.h - Divides the MMAs of a loop along K ----------------------------===//
//
//     %x = hk.local_load %a                  %x0 = hk.local_load %a[:, 0:32]    %x1 = hk.local_load %a[:, 32:64]
//     %y = hk.local_load %b             =>   %y0 = hk.local_load %b[0:32, :]    %y1 = hk.local_load %b[32:64, :]
//     %d = hk_amd.mfma %x, %y, %acc          %d0 = hk_amd.mfma %x0, %y0, %acc
//                                            %d = hk_amd.mfma %x1, %y1, %d0
//
// The reads of one part can overlap the MMA of another part, and registers hold one part at a time. The order of the
// additions to an accumulator does not change, so results are bitwise equal.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_DIVIDEMMAS_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_DIVIDEMMAS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

/// Divides each MMA in the body of `loop`, except asynchronous MMAs, into `parts` MMAs along K. If an MMA cannot be
/// divided, or if there is none, the function returns false, and the loop is unchanged.
bool divideMmas(mlir::scf::ForOp loop, unsigned parts);

} // namespace hocket

#endif
