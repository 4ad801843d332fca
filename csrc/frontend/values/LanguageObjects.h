//===- LanguageObjects.h - Objects of hocket.language -------------------------------===//
#ifndef HOCKET_FRONTEND_LANGUAGEOBJECTS_H
#define HOCKET_FRONTEND_LANGUAGEOBJECTS_H

#include "frontend/values/Types.h"
#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// Returns the object called `name` in hocket.language, such as "tensor" or "amd.AMDMFMALayout". Each object is looked
/// up once per process.
pybind11::object languageObject(std::string_view name);

/// Converts a dtype such as `gl.float32` or a pointer_type of hocket.language to an ElementType; returns nullopt for
/// other objects.
std::optional<ElementType> elementTypeFromPython(pybind11::handle object);
/// Returns the Python object of `type`, such as `gl.float32` or `gl.pointer_type(gl.float32)`.
pybind11::object elementTypeToPython(ElementType type);
/// Returns the value inside a `gl.constexpr` instance. Returns other objects unchanged.
pybind11::object unwrapConstexpr(pybind11::handle object);

/// True if `object` is a builtin of hocket.language, which the compiler implements (hocket/language/_builtin.py).
bool isBuiltin(pybind11::handle object);
/// Returns the name of a builtin, such as "load" or "shared_memory_descriptor.index"; empty for other objects.
std::string builtinName(pybind11::handle object);
/// Returns the Python function of a jit object (its attribute `fn`); null for other objects.
pybind11::object jitFunctionOf(pybind11::handle object);

} // namespace hocket::frontend

#endif
