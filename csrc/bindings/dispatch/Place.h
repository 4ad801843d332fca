//===- Place.h - Device of a launch without arrays on GPUs -----------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_PLACE_H
#define HOCKET_BINDINGS_DISPATCH_PLACE_H

#include <pybind11/pybind11.h>

namespace hocket::dispatch {

/// Returns the device of a launch without arrays on GPUs: the ordinal of a GPU, or the target of an emulated GPU. The
/// settings in hocket.runtime.places determine the device. `hasHostArrays` is true if some arguments are arrays in host
/// memory.
pybind11::object placeWithoutGpuArrays(bool hasHostArrays);

} // namespace hocket::dispatch

#endif
