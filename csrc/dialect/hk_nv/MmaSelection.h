//===- MmaSelection.h - Which instruction of tensor cores an operation means ------===//
#ifndef HOCKET_DIALECT_HK_NV_MMASELECTION_H
#define HOCKET_DIALECT_HK_NV_MMASELECTION_H

#include "dialect/hk_nv/HkNvDialect.h"
#include "target/MmaInstructions.h"

namespace hocket::hk_nv {

/// What an element type is to a matrix instruction; nothing for types that none takes.
std::optional<MmaElement> mmaElementOf(mlir::Type type, bool isUnsigned = false);

/// The instruction that `op` consists of; null where there is none for its operands.
const MmaInstruction *mmaInstructionOf(MmaOp op);

} // namespace hocket::hk_nv

#endif
