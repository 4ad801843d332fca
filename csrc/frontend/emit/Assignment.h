//===- Assignment.h - Assignments to names -------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_ASSIGNMENT_H
#define HOCKET_FRONTEND_EMIT_ASSIGNMENT_H

#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Returns the value that an assignment without annotation stores: compile-time numbers become run-time scalars.
Value decay(Emitter &e, Value value);

/// Same as `decay`, except that names in `__init__` of an aggregate keep constants, as in Python.
Value stored(FrameEmitter &e, Value value);

/// True if `attribute` is `self.name` in an `__init__`.
bool isOwnField(const Frame &frame, const ast::Attribute &attribute);

/// Binds the names in `target`, which may unpack. Raises an error for targets that kernels cannot assign to.
void assign(FrameEmitter &e, const ast::Expr *target, Value value);

/// Raises an error for a target that is not a name: elements, attributes, stars.
[[noreturn]] void raiseCannotAssign(FrameEmitter &e, const ast::Expr *target);

} // namespace hocket::frontend

#endif
