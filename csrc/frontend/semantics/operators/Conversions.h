//===- Conversions.h - Arguments of builtins as values of a type ---------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_CONVERSIONS_H
#define HOCKET_FRONTEND_SEMANTICS_CONVERSIONS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Argument `index`, a number, scalar or tensor, with its elements converted to `type`.
Runtime valueAs(Emitter &e, const Arguments &args, size_t index, DType type);
/// Argument `index` as a tensor or scalar; numbers become scalars.
Runtime tensorOrScalarAt(Emitter &e, const Arguments &args, size_t index);

} // namespace hocket::frontend

#endif
