//===- PythonTypes.h - dtypes and constexprs as Python objects ---------------------------===//
#ifndef HOCKET_FRONTEND_PYTHONTYPES_H
#define HOCKET_FRONTEND_PYTHONTYPES_H

#include "frontend/values/Types.h"
#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// An instance of hocket.language.dtype (`gl.float32`) or pointer_type; nothing for other objects.
std::optional<ElementType> elementTypeFromPython(pybind11::handle object);
/// `gl.float32`, `gl.pointer_type(gl.float32)`.
pybind11::object elementTypeToPython(ElementType type);
/// The value inside a `gl.constexpr` instance; other objects as they are.
pybind11::object unwrapConstexpr(pybind11::handle object);

} // namespace hocket::frontend

#endif
