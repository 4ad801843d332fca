//===- ScratchTile.h - Tiles through which stages of a warp pipeline exchange values ----===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_SCRATCHTILE_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_SCRATCHTILE_H

#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

/// A tile in shared memory, or a ring buffer of such tiles, which one stage writes and a later stage reads.
class ScratchTile {
public:
  /// Allocates a tile for values of type `stored`, or a ring buffer if there is more than one slot.
  static ScratchTile allocate(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType stored,
                              mlir::Attribute layout, int64_t slots);

  /// Returns the tile in one slot of a ring buffer; without a ring buffer, `slot` is not used.
  mlir::Value at(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot) const;

private:
  hk::LocalAllocOp buffer;
  int64_t slots = 1;
};

/// True if elements of type `elementType` can be stored in a scratch tile.
bool isStorable(mlir::Type elementType);

/// Returns the layout of a tile for which neither stores in the layout of `stored` nor loads in the layout of `loaded`
/// have bank conflicts.
mlir::Attribute scratchLayout(mlir::RankedTensorType stored, mlir::RankedTensorType loaded, const TargetInfo &target);

/// Returns the layout of a tile in row-major order.
mlir::Attribute rowMajorLayout(mlir::RankedTensorType stored);

/// Stores `value` to `tile`, which at() has returned.
void storeToTile(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value tile);

/// Loads a value of type `type` from `tile`.
mlir::Value loadFromTile(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, mlir::Value tile);

/// Gathers elements of `tile` along `axis`; returns a value of type `type`. `indices` are integers of any width, which
/// are taken modulo the size of the tile along `axis`.
mlir::Value gatherFromTile(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, mlir::Value tile,
                           mlir::Value indices, unsigned axis);

} // namespace hocket

#endif
