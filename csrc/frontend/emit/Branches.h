//===- Branches.h - Branches, and merging of the names that they bind ----------------===//
#ifndef HOCKET_FRONTEND_EMIT_BRANCHES_H
#define HOCKET_FRONTEND_EMIT_BRANCHES_H

#include "frontend/emit/Frames.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

using BranchFn = llvm::function_ref<Value()>;

/// Selects the variables that emitBranches merges after the two branches.
enum class Merge : uint8_t {
  All,
  Needed, ///< the variables in Frame::needed, because the loop iteration ends after the branches
  None,   ///< no variables, because the function ends after the branches
};

/// Emits an scf.if on `condition` with both branches. Merges the results of the branches, and the variables that the
/// branches assign. `what` describes the result in error messages.
Value emitBranches(FrameEmitter &e, const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                   std::string_view what, Merge names = Merge::All);

/// Returns a value like `form` whose run-time parts are zeros. The zeros represent the return value on paths on which
/// the function has not returned yet. Raises an error if a run-time part is a pointer, or is neither a scalar nor a
/// tensor in registers.
Value zerosOf(FrameEmitter &e, const Value &form);

} // namespace hocket::frontend

#endif
