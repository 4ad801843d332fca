//===- Module.cpp - The extension module hocket._core -----------------------------===//
//
// Each area of the module has a bind function: Compile.cpp defines bindCompile, and dispatch/Function.cpp defines
// bindLaunch. Bind functions only convert between Python and C++.
//
//===------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"

// pybind11 waits forever for the GIL if this module is first loaded in a subinterpreter. The macro therefore renames
// the module's entry point that PYBIND11_MODULE defines. PyInit__core, defined below, calls this entry point only in
// the main interpreter.
#define PyInit__core initInMainInterpreter

// The module does not set mod_gil_not_used, because the GIL guards caches in static variables (known array types,
// language objects). A free-threaded Python then keeps the GIL while this module is loaded.
PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ core of hocket. Its typed contract is hocket/_core.pyi and hocket/_core_stubs.";
  hocket::bindings::bindPresence(module);
  hocket::bindings::bindErrors(module);
  hocket::bindings::bindTargets(module);
  hocket::bindings::bindFrontend(module);
  hocket::bindings::bindLayouts(module);
  hocket::bindings::bindMatrixLayouts(module);
  hocket::bindings::bindKernelFacts(module);
  hocket::bindings::bindCodeFacts(module);
  hocket::bindings::bindCompile(module);
  hocket::bindings::bindProfiler(module);
  hocket::bindings::bindRuntime(module);
  hocket::bindings::bindSettings(module);
  hocket::bindings::bindEmulator(module);
  hocket::bindings::bindLaunch(module);
  hocket::bindings::bindDescriptors(module);
  hocket::bindings::bindDescriptorForms(module);
  hocket::bindings::bindLaunchCache(module);
}

#undef PyInit__core

extern "C" PYBIND11_EXPORT PyObject *PyInit__core() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main())
    return initInMainInterpreter();
  PyErr_SetString(PyExc_ImportError, "hocket works only in the main interpreter of a process\n"
                                     "  hint: use threads or processes instead of subinterpreters");
  return nullptr;
}
