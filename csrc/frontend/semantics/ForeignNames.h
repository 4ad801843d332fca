//===- ForeignNames.h - Names that other languages have, and what to write here -----===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FOREIGNNAMES_H
#define HOCKET_FRONTEND_SEMANTICS_FOREIGNNAMES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// A hint for a function that the language does not have, or "": for `dot`, what to write instead. The table is
/// hocket/language/_foreign_names.py.
std::string hintForFunction(const std::string &name);
/// The same for an attribute that `base`, a module or a run-time value, does not have.
std::string hintForAttribute(const Value &base, const std::string &name);
/// The same for a parameter that a function does not have.
std::string hintForKeyword(const std::string &name);

} // namespace hocket::frontend

#endif
