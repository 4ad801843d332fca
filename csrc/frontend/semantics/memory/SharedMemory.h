//===- SharedMemory.h - Common arguments of builtins on shared memory --------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H
#define HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter`, which must be shared memory.
Runtime descriptorAt(Emitter &e, const Arguments &args, ParameterName parameter);

/// Raises an error unless `value` is a tensor with the shape and element type of `buffer`.
void checkStored(Emitter &e, SourceRange where, const Runtime &value, const ValueType &buffer);

/// Loads argument `parameter`, shared memory, into the layout given by argument `layout`. If `relaxed` is true, the
/// compiler inserts no barrier before the load.
Value loadShared(Emitter &e, const Arguments &args, ParameterName parameter, bool relaxed);

} // namespace hocket::frontend

#endif
