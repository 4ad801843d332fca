//===- MatrixOperands.h - What matrix products of all kinds check -------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MATRIXOPERANDS_H
#define HOCKET_FRONTEND_SEMANTICS_MATRIXOPERANDS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Argument `index` as a tensor of numbers. `howToRead` is the layout to read it from shared memory with.
Runtime matrixAt(Emitter &e, const Arguments &args, size_t index, std::string_view howToRead);

/// Stops unless a is [.., M, K], b [.., K, N] and acc [.., M, N], of rank 2 or 3.
void checkProductShapes(Emitter &e, const ValueType &a, const ValueType &b, const ValueType &acc);

/// An operand of a product: argument `index` of the call, operand 0 or 1.
struct MatrixOperand {
  size_t index;
  unsigned operand;
  Runtime value;
};

/// Stops unless both operands have dot operand layouts of `layout`, the accumulators', with one k_width; returns that.
/// `elementsPerLane` is the k_width to advise.
int64_t checkOperandLayouts(Emitter &e, const Arguments &args, mlir::Attribute layout, const MatrixOperand &a,
                            const MatrixOperand &b, int64_t elementsPerLane);

/// "gl.DotOperandLayout(0, acc.layout, 8)".
std::string operandLayoutText(unsigned operand, std::string_view kWidth);

} // namespace hocket::frontend

#endif
