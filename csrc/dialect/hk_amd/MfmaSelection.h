//===- MfmaSelection.h - Selection of the MFMA instruction for an operation -------===//
//
// The layout of the accumulators determines the GPU generation and the shape of the instruction; the operands determine
// the element types.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_AMD_MFMASELECTION_H
#define HOCKET_DIALECT_HK_AMD_MFMASELECTION_H

#include "dialect/hk_amd/HkAmdDialect.h"
#include "target/MatrixInstructions.h"

namespace hocket::hk_amd {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Returns the number format of MFMA operands with element type `type`; nullopt for types that MFMA does not support.
std::optional<NumberFormat> mfmaFormatOf(mlir::Type type);
/// Returns the element type of `format`, a number format that MFMA supports.
mlir::Type typeOf(mlir::MLIRContext *context, NumberFormat format);

/// Returns the instruction that multiplies `a` by `b` into accumulators of `layout`. If there is no such instruction,
/// reports the reason and the available instructions, and returns null.
const MfmaInstruction *selectMfma(MfmaAttr layout, mlir::Type a, mlir::Type b, EmitError emitError);

/// Returns a list such as "[32, 32, 8], [16, 16, 16]": the instruction shapes of a GPU generation, for all number
/// formats or only for `a` and `b`.
std::string describeMfmaShapes(int64_t version);
std::string describeMfmaShapes(int64_t version, NumberFormat a, NumberFormat b);

/// Returns the number of which the size along K must be a multiple: the larger of the number of elements along K that
/// one instruction covers and the number that `kWidth` elements of each lane cover.
int64_t stepAlongK(MfmaAttr layout, int64_t kWidth, const MfmaInstruction &instruction);

/// Returns the k_width that a scaled MFMA needs: a lane holds 16 consecutive bytes (32 for elements of 6 bits).
int64_t scaledKWidth(ScaledFormat format);

/// Returns the layout of the scales of operand `opIdx` of a scaled MFMA, of shape [M, K / 32] or [N, K / 32].
hk::LinearAttr scaleLayoutOf(MfmaAttr layout, unsigned opIdx, llvm::ArrayRef<int64_t> shape);

} // namespace hocket::hk_amd

#endif
