//===- Place.h - Place of a launch without arrays on GPUs ------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_PLACE_H
#define HOCKET_BINDINGS_DISPATCH_PLACE_H

#include <pybind11/pybind11.h>

namespace hocket::dispatch {

/// Returns the ordinal of a GPU, or the target of an emulated one, from the choices of hocket.runtime.places.
/// `hasHostArrays`: some of the arguments are arrays in host memory.
pybind11::object placeWithoutGpuArrays(bool hasHostArrays);

} // namespace hocket::dispatch

#endif
