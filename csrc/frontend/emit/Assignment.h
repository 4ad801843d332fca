//===- Assignment.h - What a name is given, and what a value becomes by it -----------===//
#ifndef HOCKET_FRONTEND_EMIT_ASSIGNMENT_H
#define HOCKET_FRONTEND_EMIT_ASSIGNMENT_H

#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// What an assignment without annotation stores: numbers known at compile time become run-time scalars.
Value decay(Emitter &e, Value value);

/// The same in the function being emitted: in `__init__` of an aggregate names keep constants, as Python's do.
Value stored(FrameEmitter &e, Value value);

/// Whether `attribute` is `self.name` in an `__init__`.
bool isOwnField(const Frame &frame, const ast::Attribute &attribute);

/// Binds the names in `target`, which may unpack; an error for targets that kernels cannot assign to.
void assign(FrameEmitter &e, const ast::Expr *target, Value value);

/// Stops at a target that is no name: elements, attributes, stars.
[[noreturn]] void raiseCannotAssign(FrameEmitter &e, const ast::Expr *target);

} // namespace hocket::frontend

#endif
