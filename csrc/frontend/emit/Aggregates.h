//===- Aggregates.h - Construction of aggregates --------------------------------------===//
//
//     Counter(0, phase, 4)     =>     (index, phase, "4"), a Tuple of the class
//
// An `__init__` that is part of the kernel has a frame whose fields are variables after the locals, so branches merge
// fields in the same way as names. An `__init__` that Python runs receives handles (semantics/Handles.h).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_AGGREGATES_H
#define HOCKET_FRONTEND_EMIT_AGGREGATES_H

#include "frontend/emit/CallArguments.h"
#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Calls a class decorated with hocket.aggregate.
Value makeAggregate(FrameEmitter &e, py::handle pythonClass, CallArguments arguments);
/// hocket.aggregate_replace(value, field=..., ...)
Value replaceFields(FrameEmitter &e, const CallArguments &arguments);

/// Inside `__init__`: returns `self`, once all fields have values.
Value loadSelf(FrameEmitter &e);
/// `self.name`
Value loadOwnField(FrameEmitter &e, const std::string &name);
/// `self.name = value`
void assignOwnField(FrameEmitter &e, const ast::Attribute &target, Value value);
/// True if `expr` is `super()`.
bool isSuperCall(const ast::Expr *expr);
/// `super().name`, in a method: looks up `name` in the classes after the one that defines the method.
Value attributeOfSuper(FrameEmitter &e, const std::string &name);
/// `super().__init__(...)`: initializes the fields of the next base class.
void initializeBase(FrameEmitter &e, CallArguments arguments);

} // namespace hocket::frontend

#endif
