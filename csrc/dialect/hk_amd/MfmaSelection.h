//===- MfmaSelection.h - Which matrix instruction an operation means --------------===//
//
// The layout of the accumulators names the generation and the shape, the operands name the elements.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_AMD_MFMASELECTION_H
#define HOCKET_DIALECT_HK_AMD_MFMASELECTION_H

#include "dialect/hk_amd/HkAmdDialect.h"
#include "target/MatrixInstructions.h"

namespace hocket::hk_amd {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// What an element type is to a matrix instruction; nothing for types that none takes.
std::optional<MfmaElement> mfmaElementOf(mlir::Type type);
mlir::Type typeOf(mlir::MLIRContext *context, MfmaElement element);
mlir::Type typeOf(mlir::MLIRContext *context, MfmaAccumulator accumulator);

/// The instruction that multiplies `a` by `b` into accumulators of `layout`. Where there is none, says why and what
/// there is, and returns null.
const MfmaInstruction *selectMfma(MfmaAttr layout, mlir::Type a, mlir::Type b, EmitError emitError);

/// "[32, 32, 8], [16, 16, 16]": the shapes that a generation has for any elements, or for these.
std::string describeMfmaShapes(int64_t version);
std::string describeMfmaShapes(int64_t version, MfmaElement a, MfmaElement b);

/// Elements along K that one instruction, or one lane's `kWidth`, needs at least: K must be a multiple of it.
int64_t stepAlongK(MfmaAttr layout, int64_t kWidth, const MfmaInstruction &instruction);

/// The k_width that a scaled product needs: a lane holds 16 consecutive bytes (of elements of 6 bits, 32).
int64_t scaledKWidth(ScaledFormat format);

/// The layout that the scales of operand `opIdx` of a scaled product have, of shape [M, K / 32] or [N, K / 32].
hk::LinearAttr scaleLayoutOf(MfmaAttr layout, unsigned opIdx, llvm::ArrayRef<int64_t> shape);

} // namespace hocket::hk_amd

#endif
