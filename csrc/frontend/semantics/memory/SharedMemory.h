//===- SharedMemory.h - What builtins on shared memory share -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H
#define HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Argument 0, shared memory.
Runtime descriptorAt(Emitter &e, const Arguments &args);

/// Stops unless `value` can be stored to the buffer as it is.
void checkStored(Emitter &e, SourceRange where, const Runtime &value, const ValueType &buffer);

/// Reads argument 0, shared memory, in the layout that argument 1 is. `relaxed`: without barriers before it.
Value loadShared(Emitter &e, const Arguments &args, bool relaxed);

} // namespace hocket::frontend

#endif
