//===- Assignment.h - Assignments to names -------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_ASSIGNMENT_H
#define HOCKET_FRONTEND_EMIT_ASSIGNMENT_H

#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Returns the value that an assignment without annotation stores: compile-time numbers become run-time scalars.
Value decay(Emitter &e, Value value);

/// Returns `decay(e, value)`, but in `__init__` of an aggregate returns `value`, so that constants stay constants.
Value stored(FrameEmitter &e, Value value);

/// True if `attribute` is of the form `self.name` and the frame is an `__init__`.
bool isOwnField(const Frame &frame, const ast::Attribute &attribute);

/// Binds the names in `target`, which can be a tuple that unpacks `value`. Raises an error for targets to which kernels
/// cannot assign.
void assign(FrameEmitter &e, const ast::Expr *target, Value value);

/// Raises an error for a target that is not a name: an element, an attribute or a starred target.
[[noreturn]] void raiseCannotAssign(FrameEmitter &e, const ast::Expr *target);

} // namespace hocket::frontend

#endif
