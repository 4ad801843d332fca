//===- RegisterIndices.h - Tensor coordinates of a lane's registers ----------------===//
//
// A layout is linear over F2: the coordinate of (register, lane, warp, block) is the XOR of the contributions of
// register, lane, warp and block. The contribution of lane, warp and block is computed once at run time. The
// contribution of the register is a constant, which is XORed to the contribution of lane, warp and block. A constant
// that shares no bits with the contribution of lane, warp and block is added instead of XORed, so that LLVM folds the
// constant into the address of an access.
//
//   lane = 5, warp = 1, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4]>
//   register r: coordinate r ^ (5 << 2) ^ (1 << 7)
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_REGISTERINDICES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_REGISTERINDICES_H

#include "layout/LinearLayout.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <utility>

namespace hocket {

class LoweringContext;

/// The coordinate of an element: one i32 per tensor dimension.
using Coordinate = llvm::SmallVector<mlir::Value, 2>;

/// Returns the coordinates of every register of this lane: result[register][dimension].
llvm::SmallVector<Coordinate> emitIndices(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                                          const LinearLayout &layout);

/// The coordinate of register 0 of this lane, and the constants whose XOR with `base` gives the coordinates of all
/// registers.
struct LaneOrigin {
  Coordinate base;
  /// constants[register][dimension]
  llvm::SmallVector<llvm::SmallVector<int32_t, 2>> constants;
  /// For each dimension, the bits that can be set in the base.
  llvm::SmallVector<int32_t, 2> baseBits;
};
LaneOrigin emitOrigin(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                      const LinearLayout &layout);

/// Returns base ^ constant, as an addition if `baseBits` and `constant` share no bit.
mlir::Value xorConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base, int32_t baseBits,
                        int32_t constant);

/// Returns the output coordinates (in the order of the layout's output dimensions) for run-time inputs. Input
/// dimensions that `inputs` does not contain are 0.
Coordinate applyLayout(mlir::OpBuilder &builder, mlir::Location loc, const LinearLayout &layout,
                       llvm::ArrayRef<std::pair<Dim, mlir::Value>> inputs);

/// Returns the bits of a thread's index in its block that `layout` ignores: threads that differ only in these bits hold
/// the same elements.
int32_t copyBits(LoweringContext &lowering, const LinearLayout &layout);

/// Returns the bits of a block's index in its cluster that `layout` ignores.
int32_t copiesInBlocks(LoweringContext &lowering, const LinearLayout &layout);

/// Returns an i1 that is true if this lane is the first of all lanes of the cluster that hold the same elements; null
/// if there are no copies. CTAs whose indices differ in the bits `actingBlocks` each have a first lane.
mlir::Value emitIsFirstCopy(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                            const LinearLayout &layout, int32_t actingBlocks = 0);
/// Returns an i1 that is true if this lane is the first of all lanes of its block that hold the same elements.
mlir::Value emitIsFirstInBlock(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                               const LinearLayout &layout);

} // namespace hocket

#endif
