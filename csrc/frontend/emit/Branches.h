//===- Branches.h - Branches, and merging of the names that they bind ----------------===//
#ifndef HOCKET_FRONTEND_EMIT_BRANCHES_H
#define HOCKET_FRONTEND_EMIT_BRANCHES_H

#include "frontend/emit/Frames.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

using BranchFn = llvm::function_ref<Value()>;

/// Selects the names that have a value after the branches.
enum class Merge : uint8_t {
  All,
  Needed, ///< the names in Frame::needed, because the iteration ends after the branches
  None,   ///< no names, because no code of the function follows
};

/// Emits both branches of a run-time condition. Merges the results of the branches and the names that the branches
/// bind. `what` names the result in errors.
Value emitBranches(FrameEmitter &e, const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                   std::string_view what, Merge names = Merge::All);

/// Returns a value of the form `form` with zeros as its run-time parts. The zeros are the result of a function that has
/// not returned so far. Raises an error for shared memory and pointers.
Value zerosOf(FrameEmitter &e, const Value &form);

} // namespace hocket::frontend

#endif
