//===- SharedMemory.h - What builtins on shared memory share -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H
#define HOCKET_FRONTEND_SEMANTICS_SHAREDMEMORY_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Reads argument 0, shared memory, in the layout that argument 1 is. `relaxed`: without barriers before it.
Value loadShared(Emitter &e, const Arguments &args, bool relaxed);

} // namespace hocket::frontend

#endif
