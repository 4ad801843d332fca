//===- Accumulators.h - Results of asynchronous products, before they are there -----------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ACCUMULATORS_H
#define HOCKET_FRONTEND_SEMANTICS_ACCUMULATORS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Stops, at the current expression or at `where`, if `value` is one: only products and waits take it.
void requireFinished(Emitter &e, const Value &value);
void requireFinished(Emitter &e, const Value &value, SourceRange where);

/// The same for all arguments of the builtin called `name`, unless it takes them.
void requireFinished(Emitter &e, std::string_view name, const Arguments &args);

} // namespace hocket::frontend

#endif
