//===- Path.h - The steps of a launch --------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_PATH_H
#define HOCKET_BINDINGS_DISPATCH_PATH_H

#include "bindings/dispatch/Compilation.h"
#include "bindings/dispatch/Table.h"

namespace hocket::dispatch {

/// C++ members of a Python JITFunction.
struct FunctionState {
  PyObject *jitFunction; ///< the Python object that owns this FunctionState
  Signature signature;
  ConstantTypes constants;
  LaunchTable table;
  Compilations compilations;
};

/// The arguments of a call by Python's vectorcall protocol.
struct CallArguments {
  PyObject *const *values;
  size_t positional;
  PyObject *keywordNames;
};

/// Executes `k[grid](...)`: binds and specializes the arguments, finds or compiles the kernel, and queues it. Returns
/// the CompiledKernel.
pybind11::object launch(FunctionState &state, PyObject *grid, const CallArguments &arguments);

/// Returns the CompiledKernel that a launch with these arguments would use.
pybind11::object specializeOnly(FunctionState &state, const CallArguments &arguments);

} // namespace hocket::dispatch

#endif
