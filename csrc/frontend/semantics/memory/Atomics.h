//===- Atomics.h - What builtins on atomic accesses share ------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORY_ATOMICS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORY_ATOMICS_H

#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Argument `index`, the threads that an atomic is ordered with; None is "gpu".
hk::MemScope scopeAt(Emitter &e, const Arguments &args, size_t index);
/// Argument `index`, the ordering of a load: "relaxed" or "acquire"; of a store "relaxed" or "release".
hk::MemSemantic halfSemanticAt(Emitter &e, const Arguments &args, size_t index, bool isLoad);
/// Stops with what kinds of elements the function supports.
[[noreturn]] void unsupportedElement(Emitter &e, const Arguments &args, std::string_view supported);

/// atomic_poll(ptr, expected, sem="acquire", scope="gpu", timeout_ns=None)
Value atomicPoll(Emitter &e, Arguments &args);

} // namespace hocket::frontend

#endif
