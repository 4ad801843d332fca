//===- LayoutClass.h - An entry of the table of layout classes ----------------------===//
//
// A class of layouts consists of an attribute, whose interfaces determine its uses and its linear map; a dataclass of
// hocket.language, which verifies users' parameters; and the entry that converts between them, field by field:
//
//     layoutClass("SliceLayout", Field("dim", &hk::SliceAttr::getDim), Field("parent", &hk::SliceAttr::getParent))
//
// Fields are the parameters of the attribute, in its order, each with its name in Python. The types of their getters
// determine the conversion: integers, lists of them, rows of bases, bools, other layouts. docs/adding_a_layout.md has
// all the steps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUES_LAYOUTS_LAYOUTCLASS_H
#define HOCKET_FRONTEND_VALUES_LAYOUTS_LAYOUTCLASS_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/values/layouts/Layouts.h"
#include "target/TargetInfo.h"
#include <functional>
#include <span>
#include <tuple>

namespace hocket::frontend {

struct LayoutClass {
  const char *pythonName; ///< in hocket.language, such as "amd.AMDMFMALayout"
  mlir::TypeID attribute;
  /// Returns the attribute of an object of this class; null if it contains a layout that kernels do not support.
  std::function<mlir::Attribute(mlir::MLIRContext *, py::handle)> fromPython;
  /// Returns the keyword arguments with which Python constructs the layout.
  std::function<py::dict(mlir::Attribute)> toPython;

  /// True if `target` has the layout. Null for layouts that every target has.
  bool (*existsOn)(mlir::Attribute layout, const TargetInfo &target) = nullptr;
};

/// The tables: layouts that every target has, and those of each vendor.
std::span<const LayoutClass> neutralLayoutClasses();
std::span<const LayoutClass> amdLayoutClasses();
std::span<const LayoutClass> nvidiaLayoutClasses();

/// Returns the class of a layout attribute; null for other attributes, and for layouts without a Python class.
const LayoutClass *layoutClassOf(mlir::Attribute layout);

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
/// Raises a ValueError if `verify`, an attribute's verifier, fails. Python's classes verify their parameters too, but
/// less strictly.
void requireValid(mlir::MLIRContext *context, const char *pythonName,
                  llvm::function_ref<mlir::LogicalResult(EmitError)> verify);

// Fields --------------------------------------------------------------------------------------------------------------

/// Parameter `name` of a Python class, and the getter of the attribute.
template <typename AttrT, typename T>
struct Field {
  Field(const char *name, T (AttrT::*get)() const) : name(name), get(get) {}
  const char *name;
  T (AttrT::*get)() const;
  /// True for a list that may be omitted: Python's default represents an empty one.
  bool isOptional = false;
};

template <typename AttrT, typename T>
Field<AttrT, T> optionalList(Field<AttrT, T> field) {
  field.isOptional = true;
  return field;
}

/// Conversions of a parameter from Python, to a type that owns the value, and to Python.
llvm::SmallVector<int64_t> intsFromPython(py::handle values);
hk::BasisRows rowsFromPython(py::handle rows);
py::object toPythonField(llvm::ArrayRef<int64_t> values);
py::object toPythonField(const hk::BasisRows &rows);
inline py::object toPythonField(int64_t value) { return py::int_(value); }
inline py::object toPythonField(bool value) { return py::bool_(value); }
inline py::object toPythonField(mlir::Attribute layout) { return layoutToPython(layout); }

template <typename T>
auto fromPythonField(mlir::MLIRContext *context, py::handle value) {
  if constexpr (std::is_same_v<T, llvm::ArrayRef<int64_t>>)
    return intsFromPython(value);
  else if constexpr (std::is_same_v<std::decay_t<T>, hk::BasisRows>)
    return rowsFromPython(value);
  else if constexpr (std::is_same_v<T, mlir::Attribute>)
    return layoutFromPython(context, value);
  else
    return value.cast<T>();
}

/// True if an argument is missing. That is only possible for a layout that is a parameter of another layout.
template <typename T>
bool isMissing(const T &value) {
  if constexpr (std::is_same_v<T, mlir::Attribute>)
    return !value;
  return false;
}

template <typename T>
bool isEmptyList(const T &value) {
  if constexpr (std::is_same_v<T, llvm::ArrayRef<int64_t>> || std::is_same_v<T, hk::BasisRows>)
    return value.empty();
  return false;
}

template <typename AttrT, typename... T>
LayoutClass layoutClass(const char *pythonName, Field<AttrT, T>... fields) {
  LayoutClass result{pythonName, mlir::TypeID::get<AttrT>(), {}, {}};
  result.fromPython = [=](mlir::MLIRContext *context, py::handle object) -> mlir::Attribute {
    std::tuple values{fromPythonField<T>(context, object.attr(fields.name))...};
    return std::apply(
        [&](const auto &...value) -> mlir::Attribute {
          if ((isMissing(value) || ...))
            return {};
          requireValid(context, pythonName, [&](EmitError emitError) { return AttrT::verify(emitError, value...); });
          return AttrT::get(context, value...);
        },
        values);
  };
  result.toPython = [=](mlir::Attribute layout) {
    auto attr = llvm::cast<AttrT>(layout);
    py::dict arguments;
    auto add = [&](const auto &field) {
      const auto &value = (attr.*field.get)();
      if (!field.isOptional || !isEmptyList(value))
        arguments[field.name] = toPythonField(value);
    };
    (add(fields), ...);
    return arguments;
  };
  return result;
}

} // namespace hocket::frontend

#endif
