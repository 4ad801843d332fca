//===- Builtins.cpp - Lookup of builtins and of their arguments ---------------------===//
#include "frontend/semantics/Builtins.h"
#include "frontend/semantics/BuiltinTables.h"
#include "support/CompileError.h"
#include "llvm/ADT/StringMap.h"

namespace hocket::frontend {

size_t Arguments::searchAll(ParameterName parameter) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i] == parameter.text)
      return i;
  throw InternalError("the builtin " + std::string(function) + " has no parameter `" + std::string(parameter.text) +
                      "`");
}

std::optional<ParameterName> Arguments::before(ParameterName parameter) const {
  size_t index = indexOf(parameter);
  return index == 0 ? std::nullopt : std::optional(ParameterName(std::string_view(parameters[index - 1])));
}

std::vector<const BuiltinEntry *> allBuiltins() {
  std::vector<const BuiltinEntry *> all;
#define BUILTIN_TABLE(name)                                                                                            \
  for (const BuiltinEntry &entry : name())                                                                             \
    all.push_back(&entry);
#include "frontend/semantics/BuiltinTables.def"
#undef BUILTIN_TABLE
  return all;
}

const BuiltinEntry *findBuiltin(std::string_view name) {
  static const llvm::StringMap<const BuiltinEntry *> table = [] {
    llvm::StringMap<const BuiltinEntry *> entries;
    for (const BuiltinEntry *entry : allBuiltins())
      entries[entry->name] = entry;
    return entries;
  }();
  return table.lookup(name);
}

} // namespace hocket::frontend
