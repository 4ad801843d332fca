//===- Elements.h - Element types of Python's dtype objects ----------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_ELEMENTS_H
#define HOCKET_BINDINGS_DISPATCH_ELEMENTS_H

#include "dispatch/Elements.h"
#include <pybind11/pybind11.h>

namespace hocket::dispatch {

/// Returns the element type of `torch.float32`, `np.dtype('float32')`, a NumPy type string '<f4', `gl.float32`: any
/// object whose text ends in a known name. Results are cached for each object. For types that kernels do not support,
/// throws a LaunchError that names `parameter`.
Element elementFromObject(pybind11::handle dtype, std::string_view parameter);

/// Like elementFromObject, but returns nullopt instead of throwing an exception.
std::optional<Element> findElement(pybind11::handle dtype);

} // namespace hocket::dispatch

#endif
