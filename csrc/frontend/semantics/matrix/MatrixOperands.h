//===- MatrixOperands.h - What matrix products of all kinds check -------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MATRIXOPERANDS_H
#define HOCKET_FRONTEND_SEMANTICS_MATRIXOPERANDS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Argument `index` as a tensor of numbers. `howToRead` is the layout to read it from shared memory with.
Runtime matrixAt(Emitter &e, const Arguments &args, size_t index, std::string_view howToRead);

/// Stops unless a is [.., M, K], b [.., K, N] and acc [.., M, N], of rank 2 or 3.
void checkProductShapes(Emitter &e, const ValueType &a, const ValueType &b, const ValueType &acc);

} // namespace hocket::frontend

#endif
