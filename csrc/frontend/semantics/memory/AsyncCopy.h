//===- AsyncCopy.h - Common arguments of asynchronous copy builtins ------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ASYNCCOPY_H
#define HOCKET_FRONTEND_SEMANTICS_ASYNCCOPY_H

#include "frontend/semantics/memory/MemoryAccess.h"

namespace hocket::frontend {

/// Returns argument `parameter`, the shared memory to which a copy writes elements of `shape`.
Runtime copyDestinationAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape);
/// Returns argument `parameter`, a tensor of pointers.
Runtime pointersAt(Emitter &e, const Arguments &args, ParameterName parameter);

Value commitGroup(Emitter &e, Arguments &args);
Value waitGroup(Emitter &e, Arguments &args);

} // namespace hocket::frontend

#endif
