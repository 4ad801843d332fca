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
  Needed, ///< the names in Frame::needed: an iteration ends with the branches
  None,   ///< no names: no code of the function follows
};

/// Emits both branches of a run-time condition and merges their results and the names they bind. `what` names the
/// result in errors.
Value emitBranches(FrameEmitter &e, const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                   std::string_view what, Merge names = Merge::All);

/// Returns zeros of the form of a value, as the result of a function that has not returned yet. Raises an error for
/// shared memory and pointers.
Value zerosOf(FrameEmitter &e, const Value &form);

} // namespace hocket::frontend

#endif
