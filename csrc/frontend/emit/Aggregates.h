//===- Aggregates.h - Making structs of values ----------------------------------------===//
//
//     Counter(0, phase, 4)     =>     (index, phase, "4"), a Tuple of the class
//
// An `__init__` that is part of the kernel has a frame whose fields are variables after the locals, so branches merge
// them as they do names. One that Python runs is given handles (semantics/Handles.h).
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

/// Inside `__init__`: `self`, once all fields have values.
Value loadSelf(FrameEmitter &e);
/// `self.name`
Value loadOwnField(FrameEmitter &e, const std::string &name);
/// `self.name = value`
void assignOwnField(FrameEmitter &e, const ast::Attribute &target, Value value);
/// Whether `expr` is `super()`.
bool isSuperCall(const ast::Expr *expr);
/// `super().name`, in a method: what the classes have that come after the one whose method it is.
Value attributeOfSuper(FrameEmitter &e, const std::string &name);
/// `super().__init__(..)`: gives the fields of the next base class their values.
void initializeBase(FrameEmitter &e, CallArguments arguments);

} // namespace hocket::frontend

#endif
