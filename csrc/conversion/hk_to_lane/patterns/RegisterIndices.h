//===- RegisterIndices.h - Tensor coordinates of a lane's registers ----------------===//
//
// A layout is linear over F2: the coordinate of (register, lane, warp, block) is the XOR of the coordinates of its
// parts. The part of lane, warp and block is computed once at run time. The part of the register is a constant, which
// is XORed in, or added if it shares no bit with the other part, so that LLVM folds it into the address of the access.
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

/// One i32 per tensor dimension.
using Coordinate = llvm::SmallVector<mlir::Value, 2>;

/// Returns the coordinates of every register of this lane: result[register][dimension].
llvm::SmallVector<Coordinate> emitIndices(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                                          const LinearLayout &layout);

/// The coordinate of register 0 of this lane, and the constants that the other registers XOR to it.
struct LaneOrigin {
  Coordinate base;
  /// constants[register][dimension]
  llvm::SmallVector<llvm::SmallVector<int32_t, 2>> constants;
  /// Bits that the base may have set, per dimension.
  llvm::SmallVector<int32_t, 2> baseBits;
};
LaneOrigin emitOrigin(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                      const LinearLayout &layout);

/// Returns base ^ constant, as an addition if `baseBits` and `constant` share no bit.
mlir::Value xorConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base, int32_t baseBits,
                        int32_t constant);

/// Returns the output coordinate (in the order of the layout's output dimensions) for run-time inputs; input dimensions
/// without an input are 0.
Coordinate applyLayout(mlir::OpBuilder &builder, mlir::Location loc, const LinearLayout &layout,
                       llvm::ArrayRef<std::pair<Dim, mlir::Value>> inputs);

/// Returns the bits of a thread's index in its block that `layout` ignores: threads that differ only in these bits hold
/// copies of the same registers.
int32_t copyBits(LoweringContext &lowering, const LinearLayout &layout);

/// Returns the bits of a block's index in its cluster that `layout` ignores.
int32_t copiesInBlocks(LoweringContext &lowering, const LinearLayout &layout);

/// i1: true if this lane acts for all lanes, warps and blocks of the cluster that hold copies of the same registers.
/// Null if there are no copies. Blocks whose indices differ in `actingBlocks` act independently.
mlir::Value emitIsFirstCopy(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                            const LinearLayout &layout, int32_t actingBlocks = 0);
/// i1: true if this lane acts for all lanes and warps of its block that hold copies of the same registers.
mlir::Value emitIsFirstInBlock(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                               const LinearLayout &layout);

} // namespace hocket

#endif
