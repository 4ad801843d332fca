//===- Atomics.h - Common arguments of atomic builtins ---------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORY_ATOMICS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORY_ATOMICS_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns argument `parameter`, the scope of an atomic; None means "gpu".
hk::MemScope scopeAt(Emitter &e, const Arguments &args, ParameterName parameter);
/// Returns argument `parameter`, the ordering of a load ("relaxed", "acquire") or of a store ("relaxed", "release").
hk::MemSemantic halfSemanticAt(Emitter &e, const Arguments &args, ParameterName parameter, bool isLoad);
/// Raises an error because the builtin does not support the element type of argument `parameter`, the address of an
/// atomic. `supported` lists the element types that the builtin supports.
[[noreturn]] void unsupportedElement(Emitter &e, const Arguments &args, ParameterName parameter,
                                     std::string_view supported);

Value atomicPoll(Emitter &e, Arguments &args);

} // namespace hocket::frontend

#endif
