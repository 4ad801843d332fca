//===- Module.cpp - The extension module hocket._core -----------------------------===//
//
// Each area of the module has a bind function in the file of that name, such as Compile.cpp. Bind functions only
// convert between Python and C++.
//
//===------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"

// pybind11 waits forever for the GIL if it is first loaded in a subinterpreter. So the entry point of pybind11 is
// renamed, and called only in the main interpreter.
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
}

#undef PyInit__core

extern "C" PYBIND11_EXPORT PyObject *PyInit__core() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main())
    return initInMainInterpreter();
  PyErr_SetString(PyExc_ImportError, "hocket works only in the main interpreter of a process\n"
                                     "  hint: use threads or processes instead of subinterpreters");
  return nullptr;
}
