//===- KernelFacts.h - Python class of facts about a kernel -------------------------===//
#ifndef HOCKET_BINDINGS_KERNELFACTS_H
#define HOCKET_BINDINGS_KERNELFACTS_H

#include "frontend/Frontend.h"
#include "runtime/KernelFacts.h"

namespace hocket::bindings {

/// Returns warnings about the launch options of a kernel. `module` is the front end's output for the kernel. `options`
/// is a hocket.runtime.options.Options.
std::vector<Diagnostic> warningsOfLaunch(mlir::ModuleOp module, pybind11::handle options);

/// Returns the names of a kernel's parameters.
std::vector<std::string> namesOf(const std::vector<frontend::KernelParameter> &parameters);

/// Adds the facts that no pass computes: the launch options, the names of `parameters`, and `warnings`. Issues all
/// warnings in `facts` to the user.
void completeFacts(KernelFacts &facts, const std::vector<std::string> &parameters, pybind11::handle options,
                   const std::vector<Diagnostic> &warnings);

} // namespace hocket::bindings

#endif
