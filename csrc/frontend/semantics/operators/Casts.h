//===- Casts.h - Values and arguments of builtins, converted to a type ----------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_CASTS_H
#define HOCKET_FRONTEND_SEMANTICS_CASTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Converts elements; a scalar stays a scalar.
Runtime castTo(Emitter &e, const Runtime &value, DType type);
/// A run-time scalar condition as i1 (numbers compare with zero). Tensors are an error that names `what`.
Runtime toCondition(Emitter &e, const Value &value, std::string_view what);

/// As Emitter::toRuntime, but shared memory is an error, too.
Runtime toTensorOrScalar(Emitter &e, const Value &value, std::string_view what);

/// Argument `index`, a number, scalar or tensor, with its elements converted to `type`.
Runtime valueAs(Emitter &e, const Arguments &args, size_t index, DType type);
/// Argument `index` as a tensor or scalar; numbers become scalars.
Runtime tensorOrScalarAt(Emitter &e, const Arguments &args, size_t index);

} // namespace hocket::frontend

#endif
