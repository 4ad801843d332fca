//===- SharedOffsets.h - Where elements of a buffer lie in shared memory ----------===//
//
// One definition for the lowering, which computes addresses, and for the count of bank conflicts, which predicts them.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_SHAREDOFFSETS_H
#define HOCKET_DIALECT_HK_SHAREDOFFSETS_H

#include "dialect/hk/HkDialect.h"
#include "layout/BankConflicts.h"

namespace hocket::hk {

/// Tensor coordinates -> element offset, without padding, of the buffer that a descriptor shows a part of.
LinearLayout offsetsOfBuffer(MemDescType type);

/// The same of the part of the tile that one block of a cluster has: coordinates count from its start. Of a tile that
/// is not dealt to blocks, offsetsOfBuffer.
LinearLayout offsetsOfPart(MemDescType type);

/// Offset bits in which views of this type may start: those of coordinates at or above the view's sizes. `toOffset` is
/// `offsetsOfBuffer(type)`.
int32_t startBits(MemDescType type, const LinearLayout &toOffset);

/// The tile that `buffer` shows, as lanes see it that hold it like `tensor`: the same shape and element type.
SharedPlace sharedPlaceOf(mlir::RankedTensorType tensor, MemDescType buffer);

} // namespace hocket::hk

#endif
