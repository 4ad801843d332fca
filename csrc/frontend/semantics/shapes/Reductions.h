//===- Reductions.h - A tensor to one number -------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAPES_REDUCTIONS_H
#define HOCKET_FRONTEND_SEMANTICS_SHAPES_REDUCTIONS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The largest of a tensor's signed integers, the same in all threads.
Runtime largestOf(Emitter &e, const Runtime &integers);

} // namespace hocket::frontend

#endif
