//===- KernelFacts.h - Python sees the facts about a kernel -------------------------===//
#ifndef HOCKET_BINDINGS_KERNELFACTS_H
#define HOCKET_BINDINGS_KERNELFACTS_H

#include "frontend/Frontend.h"
#include "runtime/KernelFacts.h"

namespace hocket::bindings {

/// What is suspicious about launching the kernel of `module`, as the front end has made it, with `options`, a
/// hocket.runtime.options.Options.
std::vector<Diagnostic> warningsOfLaunch(mlir::ModuleOp module, pybind11::handle options);

/// Adds what the passes do not know, those warnings among it, and issues all warnings.
void completeFacts(KernelFacts &facts, const std::vector<frontend::KernelParameter> &parameters,
                   pybind11::handle options, const std::vector<Diagnostic> &warnings);

} // namespace hocket::bindings

#endif
