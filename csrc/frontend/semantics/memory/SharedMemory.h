//===- SharedMemory.h - Common arguments of builtins on shared memory --------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H
#define HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument 0, shared memory.
Runtime descriptorAt(Emitter &e, const Arguments &args);

/// Raises an error unless `value` can be stored to the buffer without a conversion.
void checkStored(Emitter &e, SourceRange where, const Runtime &value, const ValueType &buffer);

/// Reads argument 0, shared memory, in the layout given by argument 1. `relaxed`: without preceding barriers.
Value loadShared(Emitter &e, const Arguments &args, bool relaxed);

} // namespace hocket::frontend

#endif
