//===- LanguageObjects.cpp - Objects of hocket.language -----------------------------===//
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace hocket::frontend;
namespace py = pybind11;

static constexpr const char *kBuiltinMark = "__hocket_builtin__";

py::object hocket::frontend::languageObject(std::string_view name) {
  // The cache is never destroyed, because the Python interpreter has possibly ended before static destructors run.
  static auto *cache = new llvm::StringMap<py::object>();
  py::object &object = (*cache)[name];
  if (!object) {
    object = py::module_::import("hocket.language");
    for (llvm::StringRef part : llvm::split(name, '.'))
      object = object.attr(part.str().c_str());
  }
  return object;
}

std::optional<ElementType> hocket::frontend::elementTypeFromPython(py::handle object) {
  if (!py::isinstance(object, languageObject("dtype")))
    return std::nullopt;
  bool isPointer = py::isinstance(object, languageObject("pointer_type"));
  py::object dtype = isPointer ? object.attr("element_ty") : py::reinterpret_borrow<py::object>(object);
  std::optional<DType> kind = DType::fromName(dtype.attr("name").cast<std::string_view>());
  return kind ? std::optional(ElementType(*kind, isPointer)) : std::nullopt;
}

py::object hocket::frontend::elementTypeToPython(ElementType type) {
  py::object dtype = languageObject(type.dtype.name());
  return type.isPointer ? languageObject("pointer_type")(dtype) : dtype;
}

py::object hocket::frontend::unwrapConstexpr(py::handle object) {
  if (py::isinstance(object, languageObject("constexpr")))
    return object.attr("value");
  return py::reinterpret_borrow<py::object>(object);
}

bool hocket::frontend::isBuiltin(py::handle object) { return py::hasattr(object, kBuiltinMark); }

std::string hocket::frontend::builtinName(py::handle object) {
  return isBuiltin(object) ? object.attr(kBuiltinMark).cast<std::string>() : std::string();
}

py::object hocket::frontend::jitFunctionOf(py::handle object) {
  if (PyFunction_Check(object.ptr()) || PyType_Check(object.ptr()) || PyModule_Check(object.ptr()) ||
      py::hasattr(object, "__hocket_constexpr_function__"))
    return {};
  py::object function = py::getattr(object, "fn", py::none());
  return PyFunction_Check(function.ptr()) ? function : py::object();
}
