//===- LaunchValues.h - Launch arguments given as bits -----------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHVALUES_H
#define HOCKET_BINDINGS_LAUNCHVALUES_H

#include "dispatch/Values.h"
#include "runtime/Device.h"
#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Arguments that Python code passes to a DeviceKernel without binding and specialization. Each argument is one of the
/// following Python objects:
///
///   an int          the bits of a scalar, or an address on the device
///   bytes           a value wider than 64 bits
///   a tuple         host memory: (address, bytes, writable, dtype's name, bytes before the address, dimensions),
///                   where dimensions are (size, stride in bytes) of an array with gaps
///   [bytes, tuple]  a tensor map, and the host memory that the tensor map describes.
class LaunchValues {
public:
  explicit LaunchValues(const pybind11::list &values);

  /// Returns a launch with the arguments of this object. The launch is valid during the lifetime of this object.
  KernelLaunch launch(const GridSize &grid) {
    return {.grid = grid, .parameters = values.pointers(), .arrays = arrays};
  }
  std::vector<dispatch::Values::Wide> wideValues() const { return values.wideValues(); }

private:
  dispatch::Values values;
  std::vector<HostArray> arrays;
};

} // namespace hocket::bindings

#endif
