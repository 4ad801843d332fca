//===- Calls.h - Calls of functions, builtins and Python callables --------------------===//
//
// Kinds of callees, and the implementation of a call:
//
//   jit function          emitted in place, with its own frame
//   builtin stub          emitted by a function in semantics/
//   len, range, min, ...  PythonBuiltins.h
//   namedtuple            a Tuple with the class of the namedtuple
//   aggregate             Aggregates.h
//   inner function        InnerFunctions.h
//   constexpr_function, layout and dtype classes, methods of compile-time objects      executed in Python
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_CALLS_H
#define HOCKET_FRONTEND_EMIT_CALLS_H

#include "frontend/emit/CallArguments.h"
#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Emits a call of `callee`, which can be any kind of callable. Errors refer to the source location of the current
/// node.
Value callValue(FrameEmitter &e, const Value &callee, CallArguments arguments);
/// Emits a call of the builtin of hocket.language that `stub` represents.
Value callBuiltin(FrameEmitter &e, py::handle stub, CallArguments arguments);
/// Calls `callable` in Python at compile time. The arguments must be compile-time values or aggregates.
Value callAtCompileTime(FrameEmitter &e, py::handle callable, CallArguments arguments);

/// Binds `arguments` to the parameters of an inlined function. `callee` is the frame of the function. `displayName` is
/// the function's name in error messages.
void enterFunction(FrameEmitter &e, Frame &callee, const CallSignature &signature, const std::string &displayName,
                   CallArguments arguments);
/// Returns the error to raise if the result of a call of `callee` is not used; nullopt if the result need not be used.
std::optional<UnusedResult> whyToUseResult(const Value &callee);

/// True if `object` can be called in a `with` statement: gl.warp_pipeline_stage or gl.profiler.scope.
bool isContextManager(py::handle object);

} // namespace hocket::frontend

#endif
