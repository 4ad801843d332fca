//===- LaunchElements.h - Element types of Python's dtype objects ------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHELEMENTS_H
#define HOCKET_BINDINGS_LAUNCHELEMENTS_H

#include "launch/Elements.h"
#include <pybind11/pybind11.h>

namespace hocket::launch {

/// Of `torch.float32`, `np.dtype('float32')`, a NumPy type string '<f4', `gl.float32`: anything whose text ends in a
/// known name. Remembered per object. Throws LaunchError naming `parameter` for types that kernels cannot have.
Element elementFromObject(pybind11::handle dtype, std::string_view parameter);

/// elementFromObject, or nothing where that would throw.
std::optional<Element> findElement(pybind11::handle dtype);

} // namespace hocket::launch

#endif
