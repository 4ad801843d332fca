//===- MatrixOperands.h - Common checks of MMA builtins -----------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MATRIXOPERANDS_H
#define HOCKET_FRONTEND_SEMANTICS_MATRIXOPERANDS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter`, which must be a tensor of numbers. `howToRead` is the layout that the hint suggests
/// for reading the tensor from shared memory.
Runtime matrixAt(Emitter &e, const Arguments &args, ParameterName parameter, std::string_view howToRead);

/// Raises an error unless a is [..., M, K], b [..., K, N] and acc [..., M, N], of rank 2 or 3.
void checkMmaShapes(Emitter &e, const ValueType &a, const ValueType &b, const ValueType &acc);

/// Operand a or b of an MMA. `parameter` is the operand's parameter in the builtin's signature; `operand` is 0 for a
/// and 1 for b.
struct MatrixOperand {
  ParameterName parameter;
  unsigned operand;
  Runtime value;
};

/// Returns the common k_width of `a` and `b`. Raises an error unless `a` and `b` have operand layouts for accumulators
/// in `layout`, with the same k_width. `elementsPerLane` is the k_width that the hint suggests.
int64_t checkOperandLayouts(Emitter &e, const Arguments &args, mlir::Attribute layout, const MatrixOperand &a,
                            const MatrixOperand &b, int64_t elementsPerLane);

/// Returns the text of an operand layout, such as "gl.DotOperandLayout(0, acc.layout, 8)".
std::string operandLayoutText(unsigned operand, std::string_view kWidth);

} // namespace hocket::frontend

#endif
