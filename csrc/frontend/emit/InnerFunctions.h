//===- InnerFunctions.h - `def` and `lambda` inside a kernel ---------------------------===//
//
// A function that is defined in a kernel reads the names around it with their values at the call, constants and
// run-time values alike: calls are emitted in place, where these values still exist. Such a function is a compile-time
// value: it can be passed to other functions, gl.reduce among them, but not returned by the function that defines it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_INNERFUNCTIONS_H
#define HOCKET_FRONTEND_EMIT_INNERFUNCTIONS_H

#include "frontend/emit/Expressions.h"

namespace hocket::frontend {

/// Returns the function with number `index` of those defined in the current one; evaluates the defaults of its
/// parameters.
Value defineFunction(FrameEmitter &e, ExpressionEmitter &expressions, const ast::InnerFunction &function, int index);

bool isInnerFunction(py::handle object);
Value callInnerFunction(FrameEmitter &e, py::handle function, CallArguments arguments);

} // namespace hocket::frontend

#endif
