//===- Elements.h - Element types of Python's dtype objects ----------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_ELEMENTS_H
#define HOCKET_BINDINGS_DISPATCH_ELEMENTS_H

#include "dispatch/Elements.h"
#include <pybind11/pybind11.h>

namespace hocket::dispatch {

/// Returns the element type that a dtype object names. Examples are `torch.float32`, `np.dtype('float32')`,
/// `gl.float32` and NumPy's type string '<f4'. parseElement (dispatch/Elements.h) parses the object's text. Results are
/// cached for each object. For types that kernels do not support, throws a LaunchError that names `parameter`.
Element elementFromObject(pybind11::handle dtype, std::string_view parameter);

/// Returns the result of elementFromObject; nullopt if kernels do not support the type.
std::optional<Element> findElement(pybind11::handle dtype);

} // namespace hocket::dispatch

#endif
