//===- Reductions.h - Reductions of a tensor to one number -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAPES_REDUCTIONS_H
#define HOCKET_FRONTEND_SEMANTICS_SHAPES_REDUCTIONS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns the maximum of a tensor of signed integers, as a scalar that all threads of the block hold.
Runtime largestOf(Emitter &e, const Runtime &integers);

} // namespace hocket::frontend

#endif
