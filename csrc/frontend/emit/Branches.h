//===- Branches.h - Two branches, and merging what they bind -------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_BRANCHES_H
#define HOCKET_FRONTEND_EMIT_BRANCHES_H

#include "frontend/emit/Frames.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

using BranchFn = llvm::function_ref<Value()>;

/// Emits both branches of a run-time condition; their results, and the names they bind, are merged. `what` names the
/// result in errors. Names need not be merged when nothing of the function follows.
Value emitBranches(FrameEmitter &e, const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                   std::string_view what, bool mergeNames = true);

} // namespace hocket::frontend

#endif
