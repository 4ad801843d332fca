//===- InnerFunctions.h - `def` and `lambda` inside a kernel ---------------------------===//
//
// A function that is defined in a kernel reads the names around it as they are when it is called, constants and
// run-time values alike: calls are emitted in place, where these still exist. Such a function is a compile-time value:
// it can be passed to other functions, gl.reduce among them, but not returned by the function that it is defined in.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_INNERFUNCTIONS_H
#define HOCKET_FRONTEND_EMIT_INNERFUNCTIONS_H

#include "frontend/emit/Expressions.h"

namespace hocket::frontend {

/// The function `index` of those defined in the current one; the defaults of its parameters are evaluated.
Value defineFunction(FrameEmitter &e, ExpressionEmitter &expressions, const ast::InnerFunction &function, int index);

bool isInnerFunction(py::handle object);
Value callInnerFunction(FrameEmitter &e, py::handle function, CallArguments arguments);

} // namespace hocket::frontend

#endif
