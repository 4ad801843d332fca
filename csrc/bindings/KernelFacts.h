//===- KernelFacts.h - Python sees the facts about a kernel -------------------------===//
#ifndef HOCKET_BINDINGS_KERNELFACTS_H
#define HOCKET_BINDINGS_KERNELFACTS_H

#include "frontend/Frontend.h"
#include "runtime/KernelFacts.h"

namespace hocket::bindings {

/// Adds what the passes do not know, and issues the warnings. `options` is a hocket.runtime.options.Options.
void completeFacts(KernelFacts &facts, const std::vector<frontend::KernelParameter> &parameters,
                   pybind11::handle options);

} // namespace hocket::bindings

#endif
