//===- Builtins.h - The functions of hocket.language -------------------------------===//
//
// A Python stub with `__hocket_builtin__ = "load"` is dispatched to `findBuiltin("load")`. The front end binds the
// arguments by the stub's signature, so a BuiltinFn sees one value per parameter, in order, defaults filled in.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BUILTINS_H
#define HOCKET_FRONTEND_SEMANTICS_BUILTINS_H

#include "frontend/semantics/Emitter.h"
#include <span>

namespace hocket::frontend {

/// The bound arguments of one call of a builtin.
class Arguments {
public:
  struct Slot {
    Value value;       ///< the argument, or the default (a Constexpr); `*args` is a Tuple
    SourceRange where; ///< of the argument; of the call for a default
    bool isDefault = false;
  };
  Arguments(std::string_view function, std::span<const std::string> parameters, std::vector<Slot> slots)
      : function(function), parameters(parameters), slots(std::move(slots)) {}

  const std::string_view function; ///< "load"
  size_t size() const { return slots.size(); }
  const Value &operator[](size_t index) const { return slots[index].value; }
  SourceRange where(size_t index) const { return slots[index].where; }
  bool isDefault(size_t index) const { return slots[index].isDefault; }
  std::string_view parameter(size_t index) const { return parameters[index]; }
  /// Returns "`mask` of load", for messages.
  std::string what(size_t index) const { return "`" + parameters[index] + "` of " + std::string(function); }

  py::object constexprAt(Emitter &e, size_t index) const {
    return e.requireConstexpr(slots[index].value, what(index), slots[index].where);
  }
  int64_t intAt(Emitter &e, size_t index) const {
    return e.requireInt(slots[index].value, what(index), slots[index].where);
  }
  bool boolAt(Emitter &e, size_t index) const {
    return e.requireBool(slots[index].value, what(index), slots[index].where);
  }
  std::string stringAt(Emitter &e, size_t index) const {
    return e.requireString(slots[index].value, what(index), slots[index].where);
  }
  std::vector<int64_t> intsAt(Emitter &e, size_t index) const {
    return e.requireInts(slots[index].value, what(index), slots[index].where);
  }

private:
  std::span<const std::string> parameters;
  std::vector<Slot> slots;
};

using BuiltinFn = Value (*)(Emitter &, Arguments &);

/// Returns null for a name without an implementation.
BuiltinFn findBuiltin(std::string_view name);

} // namespace hocket::frontend

#endif
