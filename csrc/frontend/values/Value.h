//===- Value.h - Values of a kernel's expressions ---------------------------------===//
//
//   Constexpr    a compile-time value: a Python object. Numbers, strings, None, dtypes, layouts, functions, modules.
//   Runtime      a run-time value: an SSA value and its language type.
//   Tuple        a sequence of Values: a Python tuple, list, namedtuple or aggregate.
//   BoundMethod  `x.to`, `smem.load`: a callable of hocket.language and the value on which it is called.
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
  /// Creates a value from an object. NumPy's numbers, such as np.float32(1e-5) and np.int64(3), are converted to Python
  /// numbers.
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
  py::object function; ///< a builtin stub or jit function that takes the receiver first
};

class Value {
public:
  Value() = default; ///< no value: an unbound name, or a slot of Arguments that was not given
  Value(Constexpr value) : contents(std::move(value)) {}   // NOLINT: implicit
  Value(Runtime value) : contents(std::move(value)) {}     // NOLINT: implicit
  Value(Tuple value) : contents(std::move(value)) {}       // NOLINT: implicit
  Value(BoundMethod value) : contents(std::move(value)) {} // NOLINT: implicit
  /// Returns the value of a Python object; an aggregate becomes a Tuple.
  static Value constant(py::object object);
  static Value none() { return Constexpr{py::none()}; }

  explicit operator bool() const { return !std::holds_alternative<std::monostate>(contents); }

  const Constexpr *asConstexpr() const { return std::get_if<Constexpr>(&contents); }
  const Runtime *asRuntime() const { return std::get_if<Runtime>(&contents); }
  const Tuple *asTuple() const { return std::get_if<Tuple>(&contents); }
  const BoundMethod *asBoundMethod() const { return std::get_if<BoundMethod>(&contents); }

  bool isNone() const { return asConstexpr() && asConstexpr()->object.is_none(); }
  /// True for a Constexpr, or a Tuple that consists of Constexprs only.
  bool isCompileTime() const;
  /// Returns the Python object of a compile-time value; tuples are rebuilt. Requires isCompileTime().
  py::object toPython() const;
  /// Returns the values of which this value consists: the elements of a Tuple, or the receiver of a BoundMethod; other
  /// values have no parts. All traversals of nested values (ValueParts.h) use only this function.
  llvm::ArrayRef<Value> parts() const;
  /// Returns this value with its parts replaced by `parts`. The number of parts must not change.
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
