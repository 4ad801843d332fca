//===- Value.h - Values of a kernel's expressions ---------------------------------===//
//
//   Constexpr    a compile-time value: a Python object, such as a number, string, dtype, layout, function or module
//   Runtime      a run-time value: an SSA value and its type in the language
//   Tuple        a sequence of Values: a Python tuple, list, namedtuple or aggregate
//   BoundMethod  a method, such as `x.to` or `smem.load`: a function of hocket.language, and the receiver
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUE_H
#define HOCKET_FRONTEND_VALUE_H

#include "frontend/values/Types.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <pybind11/pybind11.h>
#include <variant>
#include <vector>

namespace hocket::frontend {
namespace py = pybind11;

class Value;

struct Constexpr {
  /// Wraps a Python object. A NumPy scalar, such as np.float32(1e-5) or np.int64(3), is converted to a Python number.
  Constexpr(py::object object); // NOLINT: implicit
  py::object object;
};

struct Runtime {
  mlir::Value ir;
  ValueType type;
};

struct Tuple {
  std::vector<Value> elements;
  /// Class of the Python object that the tuple represents (a namedtuple, an aggregate, or `list`); null for a plain
  /// tuple.
  py::object pythonClass;
};

struct BoundMethod {
  std::shared_ptr<const Value> receiver;
  py::object function; ///< builtin stub or jit function whose first argument is the receiver
};

class Value {
public:
  Value() = default;                                       ///< unset value, for an unbound name or an omitted argument
  Value(Constexpr value) : contents(std::move(value)) {}   // NOLINT: implicit
  Value(Runtime value) : contents(std::move(value)) {}     // NOLINT: implicit
  Value(Tuple value) : contents(std::move(value)) {}       // NOLINT: implicit
  Value(BoundMethod value) : contents(std::move(value)) {} // NOLINT: implicit
  /// Converts a Python object to a Value: a Tuple for an aggregate, a Constexpr for any other object.
  static Value constant(py::object object);
  static Value none() { return Constexpr{py::none()}; }

  explicit operator bool() const { return !std::holds_alternative<std::monostate>(contents); }

  const Constexpr *asConstexpr() const { return std::get_if<Constexpr>(&contents); }
  const Runtime *asRuntime() const { return std::get_if<Runtime>(&contents); }
  const Tuple *asTuple() const { return std::get_if<Tuple>(&contents); }
  const BoundMethod *asBoundMethod() const { return std::get_if<BoundMethod>(&contents); }

  bool isNone() const { return asConstexpr() && asConstexpr()->object.is_none(); }
  /// True for a Constexpr, and for a Tuple whose elements are all compile-time values.
  bool isCompileTime() const;
  /// Converts a compile-time value to a Python object. A Tuple becomes an object of its Python class. Requires
  /// isCompileTime().
  py::object toPython() const;
  /// Returns the direct parts of this value: the elements of a Tuple, or the receiver of a BoundMethod. Other values
  /// have no parts. The functions of ValueParts.h traverse nested values with `parts`.
  llvm::ArrayRef<Value> parts() const;
  /// Returns a copy of this value whose parts are `parts`. `parts` must have one element for each part of this value.
  Value withParts(std::vector<Value> parts) const;
  /// Returns the syntax with which users access part `index`, such as "[1]" or ".count".
  std::string partName(size_t index) const;

  /// Returns the elements of a Tuple, or of a Constexpr that holds a Python tuple or list; nullopt for other values.
  std::optional<std::vector<Value>> asSequence() const;
  /// Returns a description for messages, such as "the constexpr 3.5", "float32[128] in BlockedLayout(...)" or "a tuple
  /// of 2 values".
  std::string describe() const;

private:
  std::variant<std::monostate, Constexpr, Runtime, Tuple, BoundMethod> contents;
};

} // namespace hocket::frontend

#endif
