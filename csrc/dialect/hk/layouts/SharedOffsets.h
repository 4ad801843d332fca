//===- SharedOffsets.h - Offsets of a buffer's elements in shared memory ----------===//
//
// Common definition for the lowering, which computes addresses, and for the count of bank conflicts, which predicts
// them.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_SHAREDOFFSETS_H
#define HOCKET_DIALECT_HK_LAYOUTS_SHAREDOFFSETS_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/BankConflicts.h"

namespace hocket::hk {

/// Returns the map from tensor coordinates to element offsets, without padding, of the buffer that a descriptor refers
/// to a part of.
LinearLayout offsetsOfBuffer(MemDescType type);

/// Returns the map for the part of the tile that one block of a cluster has: coordinates are relative to its start.
/// Equals offsetsOfBuffer for a tile that is not split among blocks.
LinearLayout offsetsOfPart(MemDescType type);

/// Returns the offset bits in which views of this type may start: those of coordinates at or above the view's sizes.
/// `toOffset` is `offsetsOfBuffer(type)`.
int32_t startBits(MemDescType type, const LinearLayout &toOffset);

/// Describes the accesses to `buffer` by lanes that hold its tile like `tensor`, of the same shape and element type.
SharedTileAccess sharedTileAccessOf(mlir::RankedTensorType tensor, MemDescType buffer);

} // namespace hocket::hk

#endif
