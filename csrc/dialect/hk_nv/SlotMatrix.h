//===- SlotMatrix.h - The matrix descriptor of tiles in shared memory -------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_SLOTMATRIX_H
#define HOCKET_DIALECT_HK_NV_SLOTMATRIX_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/MatrixDescriptor.h"

#include <optional>

namespace hocket {

/// Describes a tile of `type`, together with the following `slots` - 1 slots of its ring buffer, as one operand matrix
/// of a wgmma. `own` is the operand's dimension that is not K (the rows of a, the columns of b). Along this dimension,
/// one instruction reads `rows` indices, and the indices of a slot continue the indices of the preceding slot. Returns
/// nullopt if a matrix descriptor cannot express the layout.
std::optional<DescribedMatrix> describeSlots(hk::MemDescType type, unsigned own, int64_t rows, int64_t slots = 1);

} // namespace hocket

#endif
