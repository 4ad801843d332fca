//===- Aggregates.h - Construction of aggregates --------------------------------------===//
//
//     Counter(0, phase, 4)     =>     (index, phase, "4"), a Tuple of the class
//
// If `__init__` is a jit function, it is emitted in a frame in which the fields of the aggregate are additional
// variables. Branches therefore merge fields like local names. If `__init__` is run by Python at compile time, it
// receives handles (semantics/Handles.h).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_AGGREGATES_H
#define HOCKET_FRONTEND_EMIT_AGGREGATES_H

#include "frontend/emit/CallArguments.h"
#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Evaluates the call of a class that is decorated with hocket.aggregate.
Value makeAggregate(FrameEmitter &e, py::handle pythonClass, CallArguments arguments);
/// Evaluates hocket.aggregate_replace(value, field=..., ...).
Value replaceFields(FrameEmitter &e, const CallArguments &arguments);

/// Returns `self` inside `__init__`. Raises an error unless all fields have values.
Value loadSelf(FrameEmitter &e);
/// Evaluates `self.name` inside `__init__`.
Value loadOwnField(FrameEmitter &e, const std::string &name);
/// Emits the assignment `self.name = value` inside `__init__`.
void assignOwnField(FrameEmitter &e, const ast::Attribute &target, Value value);
/// True if `expr` is `super()`.
bool isSuperCall(const ast::Expr *expr);
/// Evaluates `super().name` in a method: looks up `name` in the classes after the one that defines the method.
Value attributeOfSuper(FrameEmitter &e, const std::string &name);
/// Emits `super().__init__(...)`, which initializes the fields of the next base class.
void initializeBase(FrameEmitter &e, CallArguments arguments);

} // namespace hocket::frontend

#endif
