//===- Assignment.h - Assignments to names -------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_ASSIGNMENT_H
#define HOCKET_FRONTEND_EMIT_ASSIGNMENT_H

#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Returns `value` with its compile-time numbers converted to run-time scalars, as in an assignment without the
/// annotation `gl.constexpr`.
Value decay(Emitter &e, Value value);

/// Returns the value that an assignment without annotation stores. In the `__init__` of an aggregate, whose fields can
/// be constants, this is `value`; elsewhere, it is `decay(e, value)`.
Value stored(FrameEmitter &e, Value value);

/// True if `attribute` is of the form `self.name` and `frame` emits the `__init__` of an aggregate.
bool isOwnField(const Frame &frame, const ast::Attribute &attribute);

/// Assigns `value` to `target`: a name, a field of `self` in `__init__`, or a tuple of targets, for which `value` is
/// unpacked. Raises an error if kernels cannot assign to `target`.
void assign(FrameEmitter &e, const ast::Expr *target, Value value);

/// Raises the error for `target`, to which kernels cannot assign, such as an element, an attribute or a starred name.
[[noreturn]] void raiseCannotAssign(FrameEmitter &e, const ast::Expr *target);

} // namespace hocket::frontend

#endif
