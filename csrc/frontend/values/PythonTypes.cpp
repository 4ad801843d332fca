//===- PythonTypes.cpp - dtypes and constexprs as Python objects ---------------------------===//
#include "frontend/values/PythonTypes.h"
#include "frontend/emit/Emitter.h"

using namespace hocket::frontend;

std::optional<ElementType> hocket::frontend::elementTypeFromPython(py::handle object) {
  if (!py::isinstance(object, Emitter::languageObject("dtype")))
    return std::nullopt;
  bool isPointer = py::isinstance(object, Emitter::languageObject("pointer_type"));
  py::object dtype = isPointer ? object.attr("element_ty") : py::reinterpret_borrow<py::object>(object);
  std::optional<DType> kind = DType::fromName(dtype.attr("name").cast<std::string_view>());
  return kind ? std::optional(ElementType(*kind, isPointer)) : std::nullopt;
}

py::object hocket::frontend::elementTypeToPython(ElementType type) {
  py::object dtype = Emitter::languageObject(type.dtype.name().data());
  return type.isPointer ? Emitter::languageObject("pointer_type")(dtype) : dtype;
}

py::object hocket::frontend::unwrapConstexpr(py::handle object) {
  if (py::isinstance(object, Emitter::languageObject("constexpr")))
    return object.attr("value");
  return py::reinterpret_borrow<py::object>(object);
}
