//===- Branches.h - Two branches, and merging what they bind -------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_BRANCHES_H
#define HOCKET_FRONTEND_EMIT_BRANCHES_H

#include "frontend/emit/Frames.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

using BranchFn = llvm::function_ref<Value()>;

/// Which names have a value after the branches.
enum class Merge : uint8_t {
  All,
  Needed, ///< what Frame::needed says: an iteration ends with the branches
  None,   ///< nothing of the function follows
};

/// Emits both branches of a run-time condition; their results, and the names they bind, are merged. `what` names the
/// result in errors.
Value emitBranches(FrameEmitter &e, const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                   std::string_view what, Merge names = Merge::All);

/// Zeros of the form of a value: what stands where a function has not returned one. An error for shared memory and
/// pointers.
Value zerosOf(FrameEmitter &e, const Value &form);

} // namespace hocket::frontend

#endif
