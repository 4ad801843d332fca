//===- BuiltinTables.h - Tables of builtins, one per topic --------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BUILTINTABLES_H
#define HOCKET_FRONTEND_SEMANTICS_BUILTINTABLES_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

#define BUILTIN_TABLE(name) std::span<const BuiltinEntry> name();
#include "frontend/semantics/BuiltinTables.def"
#undef BUILTIN_TABLE

} // namespace hocket::frontend

#endif
