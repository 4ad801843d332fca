//===- MfmaChecks.h - Checks of MFMA builtins ---------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MFMACHECKS_H
#define HOCKET_FRONTEND_SEMANTICS_MFMACHECKS_H

#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/matrix/MatrixOperands.h"

namespace hocket::frontend {

/// Returns the layout of the accumulator, argument `parameter`, which must be an MFMA layout of the target. `shapes`
/// lists the instr_shapes that are possible, for the hint of an error.
hk_amd::MfmaAttr accumulatorLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &acc,
                                     std::string_view shapes);

/// Raises an error unless K, in elements of the operands, is a multiple of `step`, the result of hk_amd::stepAlongK.
void checkDepth(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const MatrixOperand &a, int64_t kWidth,
                int64_t step);

} // namespace hocket::frontend

#endif
