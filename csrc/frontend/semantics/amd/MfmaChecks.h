//===- MfmaChecks.h - What products on AMD's matrix cores check ---------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MFMACHECKS_H
#define HOCKET_FRONTEND_SEMANTICS_MFMACHECKS_H

#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/matrix/MatrixOperands.h"

namespace hocket::frontend {

/// The layout of the accumulator, argument `index`: made for the matrix cores of this target. `shapes` are the
/// instr_shapes to advise.
hk_amd::MfmaAttr accumulatorLayoutAt(Emitter &e, const Arguments &args, size_t index, const ValueType &acc,
                                     std::string_view shapes);

/// Stops unless K, in elements of the operands, is a multiple of `step`, what the lanes take at once with `kWidth`.
void checkDepth(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const MatrixOperand &a, int64_t kWidth,
                int64_t step);

} // namespace hocket::frontend

#endif
