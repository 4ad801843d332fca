//===- ExchangeHalves.h - The store and the load of an exchange between warps ------------===//
//
// An exchange is a layout conversion, a reduction or a gather through scratch memory. The first half of an exchange
// stores values to tiles in shared memory. The second half loads the values and computes the results:
//
//     operation          stores                                      loads
//     convert_layout     the operand                                 the result
//     reduce             the operand, reduced within each warp       all partial results, and reduces them in registers
//     gather             the operand                                 the elements that the indices select
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_EXCHANGEHALVES_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_EXCHANGEHALVES_H

#include "analysis/warp_pipeline/WarpExchange.h"
#include "transforms/warp_pipeline/ScratchTile.h"

namespace hocket {

class ExchangeHalves {
public:
  /// True if `op`, an operation with scratch memory, can be divided into two halves.
  static bool canDivide(mlir::Operation *op);

  /// canDivide(op) must be true.
  explicit ExchangeHalves(mlir::Operation *op) : op(op) {}

  /// Returns the smallest set of warps within which values pass: all warps, a group, or one warp.
  Exchange getWarps() const;

  /// Allocates tiles with `slots` slots at the insertion point of `allocations`. Stores the values to slot `slot`,
  /// directly before the operation.
  void store(mlir::OpBuilder &allocations, int64_t slots, mlir::Value slot);
  /// Loads from slot `slot`; returns the results of the operation. `indices` are the indices of a gather.
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Value slot, mlir::Value indices) const;
  /// Returns the indices of a gather; null for other operations.
  mlir::Value getIndices() const;

private:
  mlir::Operation *op;
  llvm::SmallVector<ScratchTile, 1> tiles;
  /// The types in which the values are loaded, one for each tile.
  llvm::SmallVector<mlir::RankedTensorType, 1> loadedTypes;
};

} // namespace hocket

#endif
