//===- LayoutClass.h - An entry of the table of layout classes ----------------------===//
//
// A class of layouts consists of three parts. An MLIR attribute implements interfaces, which define the linear map and
// the use of the layout. A dataclass of hocket.language verifies the user's parameters. A table entry of the following
// form converts between the attribute and the dataclass field by field:
//
//     layoutClass("SliceLayout", Field("dim", &hk::SliceAttr::getDim), Field("parent", &hk::SliceAttr::getParent))
//
// Each Field is a parameter of the attribute, with its name in Python; the fields are listed in the attribute's order.
// The return type of the getter determines how the parameter is converted: an integer, a list of integers, rows of
// bases, a bool, or another layout. docs/adding_a_layout.md describes how to add a class.
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
  const char *pythonName; ///< name in hocket.language, such as "amd.AMDMFMALayout"
  mlir::TypeID attribute;
  /// Converts a Python object of this class to the layout attribute; returns null if a parameter of the object is a
  /// layout that kernels do not support.
  std::function<mlir::Attribute(mlir::MLIRContext *, py::handle)> fromPython;
  /// Returns the keyword arguments with which Python constructs the object of a layout attribute.
  std::function<py::dict(mlir::Attribute)> toPython;

  /// Returns true if `target` supports the layout. `existsOn` is null for layouts that every target supports.
  bool (*existsOn)(mlir::Attribute layout, const TargetInfo &target) = nullptr;
};

/// Tables of layout classes: the classes that every target supports, and the classes of each vendor.
std::span<const LayoutClass> neutralLayoutClasses();
std::span<const LayoutClass> amdLayoutClasses();
std::span<const LayoutClass> nvidiaLayoutClasses();

/// Returns the table entry of a layout attribute; null for other attributes, and for layouts without a Python class.
const LayoutClass *layoutClassOf(mlir::Attribute layout);

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
/// Raises a ValueError if `verify`, which calls the verifier of an attribute, fails. The Python classes also verify
/// their parameters, but less strictly.
void requireValid(mlir::MLIRContext *context, const char *pythonName,
                  llvm::function_ref<mlir::LogicalResult(EmitError)> verify);

// Fields --------------------------------------------------------------------------------------------------------------

/// A parameter of a layout: its name in the Python class, and its getter in the attribute.
template <typename AttrT, typename T>
struct Field {
  Field(const char *name, T (AttrT::*get)() const) : name(name), get(get) {}
  const char *name;
  T (AttrT::*get)() const;
  /// True for a list that can be omitted in Python. The default value of the Python parameter represents an empty list.
  bool isOptional = false;
};

template <typename AttrT, typename T>
Field<AttrT, T> optionalList(Field<AttrT, T> field) {
  field.isOptional = true;
  return field;
}

/// Conversions of one parameter of a layout between Python and C++. The functions whose names end in FromPython return
/// C++ types that own their elements. toPythonField returns a Python object.
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

/// True if `value`, a parameter of a layout, is a null layout. A parameter can be another layout, which is null if
/// kernels do not support it.
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
