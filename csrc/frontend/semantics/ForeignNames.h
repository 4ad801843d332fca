//===- ForeignNames.h - Hints for names from other languages ------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FOREIGNNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_FOREIGNNAMES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// Returns a hint for a function that `gl` lacks, such as Triton's `dot`: the module that defines a function of this
/// name, or the advice in hocket/language/_foreign_names.py. Returns "" if neither exists.
std::string hintForFunction(const std::string &name);
/// Returns a hint for an attribute that `base`, a module or a run-time value, lacks.
std::string hintForAttribute(const Value &base, const std::string &name);
/// Returns a hint for the keyword argument `name`, which no parameter of the called function has.
std::string hintForKeyword(const std::string &name);

} // namespace hocket::frontend

#endif
