//===- SharedOffsets.h - Offsets of a buffer's elements in shared memory ----------===//
//
// The lowering, which computes addresses, and the prediction of bank conflicts use the functions of this file.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_SHAREDOFFSETS_H
#define HOCKET_DIALECT_HK_LAYOUTS_SHAREDOFFSETS_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/BankConflicts.h"

namespace hocket::hk {

/// Returns the map from tensor coordinates to element offsets, without padding, for the whole buffer of a descriptor.
LinearLayout offsetsOfBuffer(MemDescType type);

/// Returns the map from tensor coordinates to element offsets for the part of the tile that one CTA of a cluster holds.
/// Coordinates are relative to the start of the part. Equals offsetsOfBuffer for a tile that is not split among CTAs.
LinearLayout offsetsOfPart(MemDescType type);

/// Returns the mask of the offset bits that may be set at the start of a view of this type: the bits to which
/// `toOffset` maps coordinates that are multiples of the view's sizes. `toOffset` is `offsetsOfBuffer(type)`.
int32_t startBits(MemDescType type, const LinearLayout &toOffset);

/// Describes the accesses to `buffer` by lanes that hold its tile in the layout of `tensor`, a type of the same shape
/// and element type.
SharedTileAccess sharedTileAccessOf(mlir::RankedTensorType tensor, MemDescType buffer);

} // namespace hocket::hk

#endif
