//===- LaunchPath.h - The steps of a launch ----------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHPATH_H
#define HOCKET_BINDINGS_LAUNCHPATH_H

#include "bindings/launch/LaunchCompilation.h"
#include "bindings/launch/LaunchTable.h"

namespace hocket::launch {

/// State of a jit function in C++.
struct FunctionState {
  PyObject *jitFunction; ///< owns this
  Signature signature;
  ConstantTypes constants;
  LaunchTable table;
  Compilations compilations;
};

/// The arguments of a vectorcall.
struct CallArguments {
  PyObject *const *values;
  size_t positional;
  PyObject *keywordNames;
};

/// `k[grid](...)`: binds, specializes, finds or compiles, queues. Returns the CompiledKernel.
pybind11::object launch(FunctionState &state, PyObject *grid, const CallArguments &arguments);

/// Returns the CompiledKernel that such a launch would use.
pybind11::object specializeOnly(FunctionState &state, const CallArguments &arguments);

} // namespace hocket::launch

#endif
