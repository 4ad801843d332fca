//===- CombinedTensors.h - Operands of reductions and scans -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_COMBINEDTENSORS_H
#define HOCKET_FRONTEND_SEMANTICS_COMBINEDTENSORS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter`, which must be a tensor or nested tuples of tensors of one shape and layout.
/// `operation` is inserted into messages, such as "a reduction".
Value combinedTensorsAt(Emitter &e, const Arguments &args, ParameterName parameter, const std::string &operation);

/// Returns the first run-time value in `value`, which can be a nested tuple. `value` must contain a run-time value.
Runtime firstRuntime(const Value &value);

/// Returns argument `parameter`, a tensor or scalar of numbers.
Runtime numbersAt(Emitter &e, const Arguments &args, ParameterName parameter);

/// Returns the type in which elements of type `input` are summed or multiplied: the dtype given by argument
/// `parameter`. If the argument is None, integers narrower than 32 bits become 32-bit integers, float8 becomes float32,
/// and other types are kept.
DType sumType(Emitter &e, const Arguments &args, ParameterName parameter, DType input);

} // namespace hocket::frontend

#endif
