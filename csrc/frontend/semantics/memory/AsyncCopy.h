//===- AsyncCopy.h - Common parts of builtins for asynchronous copies ----------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ASYNCCOPY_H
#define HOCKET_FRONTEND_SEMANTICS_ASYNCCOPY_H

#include "frontend/semantics/memory/MemoryAccess.h"

namespace hocket::frontend {

/// Returns argument 0 as the tile that a copy from `place` fills.
Runtime copyDestinationAt(Emitter &e, const Arguments &args, const AccessPlace &place);
/// Returns argument `index`, a tensor of pointers.
Runtime pointersAt(Emitter &e, const Arguments &args, size_t index);

/// commit_group()
Value commitGroup(Emitter &e, Arguments &args);
/// wait_group(num_outstanding=0)
Value waitGroup(Emitter &e, Arguments &args);

} // namespace hocket::frontend

#endif
