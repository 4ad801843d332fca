//===- PythonBuiltins.h - Python's builtins in kernels: len, min, isinstance, ... --------===//
#ifndef HOCKET_FRONTEND_EMIT_PYTHONBUILTINS_H
#define HOCKET_FRONTEND_EMIT_PYTHONBUILTINS_H

#include "frontend/emit/CallArguments.h"
#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Evaluates a call of a function of Python's `builtins` or of gl.constexpr; returns nullopt for other callees.
std::optional<Value> callPythonBuiltin(FrameEmitter &e, py::handle function, const CallArguments &arguments);

} // namespace hocket::frontend

#endif
