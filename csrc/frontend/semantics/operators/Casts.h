//===- Casts.h - Conversions of values and arguments to a type ------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_CASTS_H
#define HOCKET_FRONTEND_SEMANTICS_CASTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Converts the elements of `value` to `type`; a scalar stays a scalar.
Runtime castTo(Emitter &e, const Runtime &value, DType type);
/// Returns a scalar condition as a run-time i1; numbers are compared with zero. Raises an error for a tensor. `what`
/// describes the value in the error.
Runtime toCondition(Emitter &e, const Value &value, std::string_view what);

/// Converts `value` to a run-time value like Emitter::toRuntime. Raises an error also for shared memory.
Runtime toTensorOrScalar(Emitter &e, const Value &value, std::string_view what);

/// Returns argument `parameter`, a compile-time number, scalar or tensor, with its elements converted to `type`.
Runtime valueAs(Emitter &e, const Arguments &args, ParameterName parameter, DType type);
/// Returns argument `parameter` as a tensor or scalar; compile-time numbers become scalars.
Runtime tensorOrScalarAt(Emitter &e, const Arguments &args, ParameterName parameter);

} // namespace hocket::frontend

#endif
