//===- InnerFunctions.h - `def` and `lambda` inside a kernel ---------------------------===//
//
// A function that is defined in a kernel can read the names of the enclosing function. Calls are emitted in place, so
// the inner function reads the constants and run-time values of the enclosing function at the time of the call. An
// inner function is a compile-time value: it can be passed to other functions, such as gl.reduce, but not returned by
// the function that defines it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_INNERFUNCTIONS_H
#define HOCKET_FRONTEND_EMIT_INNERFUNCTIONS_H

#include "frontend/emit/Expressions.h"

namespace hocket::frontend {

/// Evaluates the definition of inner function `index` of the current function and the default values of its parameters.
/// Returns the function as a compile-time value.
Value defineFunction(FrameEmitter &e, ExpressionEmitter &expressions, const ast::InnerFunction &function, int index);

bool isInnerFunction(py::handle object);
Value callInnerFunction(FrameEmitter &e, py::handle function, CallArguments arguments);

} // namespace hocket::frontend

#endif
