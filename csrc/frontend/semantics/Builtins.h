//===- Builtins.h - The functions of hocket.language -------------------------------===//
//
// A Python stub with `__hocket_builtin__ = "load"` is dispatched to `findBuiltin("load")`. The front end binds the
// arguments by the stub's signature, and a BuiltinFn reads them by name, including defaults: `args["mask"]`. Each topic
// has a table of builtins with their signatures (BuiltinTables.def); a test compares these signatures with those of the
// stubs.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BUILTINS_H
#define HOCKET_FRONTEND_SEMANTICS_BUILTINS_H

#include "frontend/semantics/Emitter.h"
#include <span>

namespace hocket::frontend {

/// Name of a parameter of a builtin, as in its Python stub.
class ParameterName {
public:
  template <size_t size>
  consteval ParameterName(const char (&name)[size]) : text(name, size - 1) {} // NOLINT: implicit
  bool operator==(const ParameterName &other) const = default;

  std::string_view text;

private:
  friend class Arguments;
  explicit ParameterName(std::string_view text) : text(text) {}
};

/// The bound arguments of one call of a builtin.
class Arguments {
public:
  struct Slot {
    Value value;       ///< the argument, or the parameter's default as a Constexpr; a Tuple for `*args`
    SourceRange where; ///< source range of the argument, or of the call if the default is used
    bool isDefault = false;
  };
  Arguments(std::string_view function, std::span<const std::string> parameters, std::vector<Slot> slots)
      : function(function), parameters(parameters), slots(std::move(slots)) {}

  const std::string_view function; ///< name of the builtin, such as "load"
  std::span<const Slot> all() const { return slots; }
  const Value &operator[](ParameterName parameter) const { return slots[indexOf(parameter)].value; }
  SourceRange where(ParameterName parameter) const { return slots[indexOf(parameter)].where; }
  bool isDefault(ParameterName parameter) const { return slots[indexOf(parameter)].isDefault; }
  /// Returns the index of `parameter` in the signature of the Python stub.
  size_t indexOf(ParameterName parameter) const {
    // The search begins at the parameter of the previous call of indexOf, because most builtins read parameters in
    // order.
    for (size_t i = latest; i < parameters.size(); ++i)
      if (parameters[i] == parameter.text)
        return latest = i;
    return latest = searchAll(parameter);
  }
  /// Returns the parameter before `parameter` in the signature; nullopt for the first parameter.
  std::optional<ParameterName> before(ParameterName parameter) const;
  /// Returns a description of the parameter for error messages, such as "`mask` of load".
  std::string what(ParameterName parameter) const {
    return "`" + std::string(parameter.text) + "` of " + std::string(function);
  }

  // Returns the compile-time value of the parameter. For a Constexpr, the usual case, what(parameter) is not called.
  py::object constexprAt(Emitter &e, ParameterName parameter) const {
    const Slot &slot = slots[indexOf(parameter)];
    if (const Constexpr *constant = slot.value.asConstexpr())
      return constant->object;
    return e.requireConstexpr(slot.value, what(parameter), slot.where);
  }
  int64_t intAt(Emitter &e, ParameterName parameter) const {
    const Slot &slot = slots[indexOf(parameter)];
    return e.requireInt(slot.value, what(parameter), slot.where);
  }
  bool boolAt(Emitter &e, ParameterName parameter) const {
    const Slot &slot = slots[indexOf(parameter)];
    const Constexpr *constant = slot.value.asConstexpr();
    if (constant && PyBool_Check(constant->object.ptr()))
      return constant->object.ptr() == Py_True;
    return e.requireBool(slot.value, what(parameter), slot.where);
  }
  std::string stringAt(Emitter &e, ParameterName parameter) const {
    const Slot &slot = slots[indexOf(parameter)];
    const Constexpr *constant = slot.value.asConstexpr();
    if (constant && PyUnicode_Check(constant->object.ptr()))
      return constant->object.cast<std::string>();
    return e.requireString(slot.value, what(parameter), slot.where);
  }
  std::vector<int64_t> intsAt(Emitter &e, ParameterName parameter) const {
    const Slot &slot = slots[indexOf(parameter)];
    return e.requireInts(slot.value, what(parameter), slot.where);
  }

private:
  /// Returns the position of `parameter`, searching all parameters. Throws InternalError if there is no such parameter.
  size_t searchAll(ParameterName parameter) const;

  std::span<const std::string> parameters;
  std::vector<Slot> slots;
  mutable size_t latest = 0; ///< index of the parameter that was looked up last
};

using BuiltinFn = Value (*)(Emitter &, Arguments &);

struct BuiltinEntry {
  std::string_view name; ///< value of the attribute `__hocket_builtin__` of the Python stub
  BuiltinFn function;
  /// Parameters of the Python stub with their defaults, such as "(pointer, mask=None, other=None)".
  std::string_view signature;
  /// True for an MMA builtin, which returns the new accumulator. A call whose result is unused is an error.
  bool returnsAccumulator = false;
};

/// Returns the builtin called `name`; null if no builtin has this name.
const BuiltinEntry *findBuiltin(std::string_view name);
/// Returns the builtins of all tables.
std::vector<const BuiltinEntry *> allBuiltins();
/// If `name` is in the module of an unsupported GPU, returns a function that raises an error. Returns null for other
/// names.
BuiltinFn refusalOf(std::string_view name);

} // namespace hocket::frontend

#endif
