//===- Atomics.h - Common arguments of atomic builtins ---------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORY_ATOMICS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORY_ATOMICS_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `index`, the scope of an atomic; None is "gpu".
hk::MemScope scopeAt(Emitter &e, const Arguments &args, size_t index);
/// Returns argument `index`, the ordering of a load ("relaxed" or "acquire") or of a store ("relaxed" or "release").
hk::MemSemantic halfSemanticAt(Emitter &e, const Arguments &args, size_t index, bool isLoad);
/// Raises an error that lists the element types that the function supports.
[[noreturn]] void unsupportedElement(Emitter &e, const Arguments &args, std::string_view supported);

/// atomic_poll(ptr, expected, sem="acquire", scope="gpu", timeout_ns=None)
Value atomicPoll(Emitter &e, Arguments &args);

} // namespace hocket::frontend

#endif
