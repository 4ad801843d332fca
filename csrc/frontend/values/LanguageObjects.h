//===- LanguageObjects.h - What objects of hocket.language mean ---------------------===//
#ifndef HOCKET_FRONTEND_LANGUAGEOBJECTS_H
#define HOCKET_FRONTEND_LANGUAGEOBJECTS_H

#include "frontend/values/Types.h"
#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// `hocket.language`.`name`, looked up once per process: "tensor", "amd.AMDMFMALayout".
pybind11::object languageObject(std::string_view name);

/// An instance of hocket.language.dtype (`gl.float32`) or pointer_type; nothing for other objects.
std::optional<ElementType> elementTypeFromPython(pybind11::handle object);
/// `gl.float32`, `gl.pointer_type(gl.float32)`.
pybind11::object elementTypeToPython(ElementType type);
/// The value inside a `gl.constexpr` instance; other objects as they are.
pybind11::object unwrapConstexpr(pybind11::handle object);

/// Whether the compiler gives this function its meaning (hocket/language/_builtin.py).
bool isBuiltin(pybind11::handle object);
/// "load", "shared_memory_descriptor.index"; empty for what is no builtin.
std::string builtinName(pybind11::handle object);
/// The Python function inside a jit object (`.fn`), or a null object.
pybind11::object jitFunctionOf(pybind11::handle object);

} // namespace hocket::frontend

#endif
