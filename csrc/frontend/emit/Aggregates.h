//===- Aggregates.h - Construction of aggregates --------------------------------------===//
//
// The call of an aggregate class gives a Tuple with the values of the fields:
//
//     Counter(0, phase, 4)     =>     (%zero, %phase, constexpr 4), a Tuple of the class Counter
//
// An `__init__` that is a jit function is emitted in a Frame that also has a variable for each field of the aggregate.
// The two branches of an `if` therefore merge fields in the same way as local variables. An `__init__` that Python runs
// at compile time receives handles (semantics/Handles.h) in place of run-time values.
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

/// Returns the value of `self` inside the `__init__` of an aggregate. Raises an error if a field has no value yet.
Value loadSelf(FrameEmitter &e);
/// Evaluates `self.name` inside the `__init__` of an aggregate.
Value loadOwnField(FrameEmitter &e, const std::string &name);
/// Emits the assignment `self.name = value` inside the `__init__` of an aggregate.
void assignOwnField(FrameEmitter &e, const ast::Attribute &target, Value value);
/// True if `expr` is `super()`.
bool isSuperCall(const ast::Expr *expr);
/// Evaluates `super().name` in a method of an aggregate. The attribute is looked up in the classes after the class that
/// defines the method, in method resolution order.
Value attributeOfSuper(FrameEmitter &e, const std::string &name);
/// Emits `super().__init__(...)` inside `__init__`, which initializes the fields of the next base class.
void initializeBase(FrameEmitter &e, CallArguments arguments);

} // namespace hocket::frontend

#endif
