//===- SlotMatrix.h - The matrix descriptor of tiles in shared memory -------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_SLOTMATRIX_H
#define HOCKET_DIALECT_HK_NV_SLOTMATRIX_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/MatrixDescriptor.h"

#include <optional>

namespace hocket {

/// Describes a tile of `type` and the `slots` - 1 slots of its ring that follow it as one matrix for wgmma. `own` is the
/// dimension that is not K (rows of a, columns of b); one instruction reads `rows` indices of it, where those of the next
/// slot follow those of this one. Nothing if the layout is not one that a matrix descriptor can express.
std::optional<DescribedMatrix> describeSlots(hk::MemDescType type, unsigned own, int64_t rows, int64_t slots = 1);

} // namespace hocket

#endif
