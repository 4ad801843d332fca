//===- Calls.h - Calls of functions, builtins and Python callables --------------------===//
//
//   jit function          emitted in place, with its own frame
//   builtin stub          semantics/
//   len, range, min, ...  PythonBuiltins.h
//   namedtuple            a tuple with names
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

/// Calls any kind of `callee`; errors are raised at the current node.
Value callValue(FrameEmitter &e, const Value &callee, CallArguments arguments);
/// Calls a builtin of the language.
Value callBuiltin(FrameEmitter &e, py::handle stub, CallArguments arguments);
/// Calls `callable` in Python; the arguments must be compile-time values.
Value callAtCompileTime(FrameEmitter &e, py::handle callable, CallArguments arguments);

/// Binds the parameters in `callee`, the frame of a function that is emitted in place. `displayName` is the function's
/// name in messages.
void enterFunction(FrameEmitter &e, Frame &callee, const CallSignature &signature, const std::string &displayName,
                   CallArguments arguments);
/// Returns the error for calls that do not use the result, if `callee` is marked with hocket.must_use_result.
std::optional<UnusedResult> whyToUseResult(const Value &callee);

/// True if `object` can be called in a `with` statement: gl.warp_pipeline_stage or gl.profiler.scope.
bool isContextManager(py::handle object);

} // namespace hocket::frontend

#endif
