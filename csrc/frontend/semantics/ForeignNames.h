//===- ForeignNames.h - Hints for names from other languages ------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FOREIGNNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_FOREIGNNAMES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// Returns a hint for a function that other languages have and this language lacks, such as the alternative to `dot`;
/// "" if the table contains no hint. The table of hints is hocket/language/_foreign_names.py.
std::string hintForFunction(const std::string &name);
/// Returns a hint for an attribute that `base`, a module or a run-time value, lacks.
std::string hintForAttribute(const Value &base, const std::string &name);
/// Returns a hint for a parameter that a function lacks.
std::string hintForKeyword(const std::string &name);

} // namespace hocket::frontend

#endif
