//===- Bindings.h - One bind function per area of the extension module ------------===//
#ifndef HOCKET_BINDINGS_BINDINGS_H
#define HOCKET_BINDINGS_BINDINGS_H

#include <pybind11/pybind11.h>

namespace hocket::bindings {

void bindPresence(pybind11::module_ &module);
void bindErrors(pybind11::module_ &module);
void bindTargets(pybind11::module_ &module);
void bindFrontend(pybind11::module_ &module);
void bindLayouts(pybind11::module_ &module);
void bindMatrixLayouts(pybind11::module_ &module);
void bindKernelFacts(pybind11::module_ &module);
void bindCodeFacts(pybind11::module_ &module);
void bindCompile(pybind11::module_ &module);
void bindEmulator(pybind11::module_ &module);
void bindProfiler(pybind11::module_ &module);
void bindRuntime(pybind11::module_ &module);
void bindSettings(pybind11::module_ &module);
void bindLaunch(pybind11::module_ &module);
void bindDescriptors(pybind11::module_ &module);
void bindDescriptorForms(pybind11::module_ &module);
void bindLaunchCache(pybind11::module_ &module);

} // namespace hocket::bindings

#endif
