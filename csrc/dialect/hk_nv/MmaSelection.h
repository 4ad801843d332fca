//===- MmaSelection.h - Selection of the mma.sync instruction for an operation ----===//
#ifndef HOCKET_DIALECT_HK_NV_MMASELECTION_H
#define HOCKET_DIALECT_HK_NV_MMASELECTION_H

#include "dialect/hk_nv/HkNvDialect.h"
#include "target/MmaInstructions.h"

namespace hocket::hk_nv {

/// Returns the number format of mma.sync operands with element type `type`; nullopt for types that mma.sync does not
/// support.
std::optional<NumberFormat> mmaFormatOf(mlir::Type type, bool isUnsigned = false);

/// Returns the instruction to which `op` is lowered; null if there is none for its operands.
const MmaInstruction *mmaInstructionOf(MmaOp op);

} // namespace hocket::hk_nv

#endif
