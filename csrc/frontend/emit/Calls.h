//===- Calls.h - Calls of anything ----------------------------------------------------===//
//
//   jit function          emitted in place, with a frame of its own
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

/// Calls whatever `callee` is; the current node is the place of the call.
Value callValue(FrameEmitter &e, const Value &callee, CallArguments arguments);
/// Calls a builtin of the language.
Value callBuiltin(FrameEmitter &e, py::handle stub, CallArguments arguments);
/// Calls Python; the arguments must be known.
Value callAtCompileTime(FrameEmitter &e, py::handle callable, CallArguments arguments);

/// Binds the parameters of `callee`, a frame whose body is to be emitted in place. `displayName` is for messages.
void enterFunction(FrameEmitter &e, Frame &callee, const CallSignature &signature, const std::string &displayName,
                   CallArguments arguments);
/// Of calls that must use the result, of functions with hocket.must_use_result say: what is wrong if they do not.
std::optional<UnusedResult> whyToUseResult(const Value &callee);

/// Whether `object` may follow `with`: gl.warp_pipeline_stage or gl.profiler.scope.
bool isContextManager(py::handle object);

} // namespace hocket::frontend

#endif
