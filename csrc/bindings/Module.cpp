//===- Module.cpp - The extension module hocket._core -----------------------------===//
//
// One bind function per area; each lives in the file of its name and only converts.
//
//===------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"

// Without mod_gil_not_used: caches in static variables (known array types, language objects) are guarded by the GIL, so
// a free-threaded Python must keep it while this module is loaded.
PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ core of hocket. Its typed contract is hocket/_core.pyi.";
  hocket::bindings::bindErrors(module);
  hocket::bindings::bindTargets(module);
  hocket::bindings::bindFrontend(module);
  hocket::bindings::bindLayouts(module);
  hocket::bindings::bindMatrixLayouts(module);
  hocket::bindings::bindKernelFacts(module);
  hocket::bindings::bindCompile(module);
  hocket::bindings::bindEmulator(module);
  hocket::bindings::bindRuntime(module);
  hocket::bindings::bindLaunch(module);
}
