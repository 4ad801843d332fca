//===- CombinedTensors.h - What reductions and scans are given --------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_COMBINEDTENSORS_H
#define HOCKET_FRONTEND_SEMANTICS_COMBINEDTENSORS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Argument `index`: a tensor, or tuples of any depth of tensors of one shape and layout. `operation` is for messages:
/// "a reduction".
Value combinedTensorsAt(Emitter &e, const Arguments &args, size_t index, const std::string &operation);

/// The first run-time part of a value that has one.
Runtime firstRuntime(const Value &value);

/// Argument 0, a tensor or scalar of numbers.
Runtime numbersAt(Emitter &e, const Arguments &args);

/// The type in which sums and products of `input` are computed: that of argument `dtypeIndex`, or if it is None at
/// least 32 bits for integers and float32 for float8.
DType sumType(Emitter &e, const Arguments &args, size_t dtypeIndex, DType input);

} // namespace hocket::frontend

#endif
