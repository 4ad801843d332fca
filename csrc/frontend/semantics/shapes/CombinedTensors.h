//===- CombinedTensors.h - Operands of reductions and scans -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_COMBINEDTENSORS_H
#define HOCKET_FRONTEND_SEMANTICS_COMBINEDTENSORS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter`: a tensor, or tuples of any depth of tensors of one shape and layout. `operation` is for
/// messages: "a reduction".
Value combinedTensorsAt(Emitter &e, const Arguments &args, ParameterName parameter, const std::string &operation);

/// Returns the first run-time part of a value that has one.
Runtime firstRuntime(const Value &value);

/// Returns argument `parameter`, a tensor or scalar of numbers.
Runtime numbersAt(Emitter &e, const Arguments &args, ParameterName parameter);

/// Returns the type in which `input` is summed or multiplied: that of argument `parameter`, or if it is None
/// at least 32 bits for integers and float32 for float8.
DType sumType(Emitter &e, const Arguments &args, ParameterName parameter, DType input);

} // namespace hocket::frontend

#endif
