//===- MfmaChecks.h - What products on AMD's matrix cores check ---------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MFMACHECKS_H
#define HOCKET_FRONTEND_SEMANTICS_MFMACHECKS_H

#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// An operand of a product: argument `index` of the call, operand 0 or 1.
struct MfmaOperand {
  size_t index;
  unsigned operand;
  Runtime value;
};

/// The layout of the accumulator, argument `index`: made for the matrix cores of this target. `shapes` are the
/// instr_shapes to advise.
hk_amd::MfmaAttr accumulatorLayoutAt(Emitter &e, const Arguments &args, size_t index, const ValueType &acc,
                                     std::string_view shapes);

/// Stops unless both operands have dot operand layouts of `layout`, with one k_width; returns that. `elementsPerLane`
/// is the k_width to advise.
int64_t checkOperandLayouts(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const MfmaOperand &a,
                            const MfmaOperand &b, int64_t elementsPerLane);

/// Stops unless K, in elements of the operands, is a multiple of `step`, what the lanes take at once with `kWidth`.
void checkDepth(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const MfmaOperand &a, int64_t kWidth,
                int64_t step);

/// "gl.DotOperandLayout(0, acc.layout, 8)".
std::string operandLayoutText(unsigned operand, std::string_view kWidth);

} // namespace hocket::frontend

#endif
