//===- HostArrays.cpp - Memory of a launch's arrays on the host ------------------------===//
#include "bindings/dispatch/HostArrays.h"

namespace py = pybind11;

namespace hocket::dispatch {

/// Returns the dimensions of an array with gaps between its elements. Returns no dimensions if the array has no gaps,
/// or no attribute with strides.
static std::vector<ArrayDimension> dimensionsOf(const Specialization::ArrayOnHost &array) {
  // An array that is described by a tensor map needs no dimensions, because the tensor map has the strides.
  if (array.isDescribed || !array.memory.hasGaps)
    return {};
  py::handle object = array.object;
  bool isTensor = py::hasattr(object, "stride"); // PyTorch tensors have `stride()`, NumPy arrays have `strides`
  if (!isTensor && !py::hasattr(object, "strides"))
    return {};
  py::tuple shape(object.attr("shape")), strides(isTensor ? object.attr("stride")() : object.attr("strides"));
  int64_t unit = isTensor ? elementBytes(array.memory.element) : 1;
  std::vector<ArrayDimension> dimensions;
  for (size_t i = 0; i < shape.size(); ++i)
    dimensions.push_back({shape[i].cast<int64_t>(), strides[i].cast<int64_t>() * unit});
  return dimensions;
}

std::vector<HostArray> hostArraysOf(const Specialization &call) {
  std::vector<HostArray> arrays;
  arrays.reserve(call.hostArrays.size());
  for (const Specialization::ArrayOnHost &array : call.hostArrays)
    arrays.push_back({.argument = array.value,
                      .isDescribed = array.isDescribed,
                      .memory = {.name = {},
                                 .data = array.memory.address,
                                 .bytes = array.memory.bytes,
                                 .writable = array.memory.writable,
                                 .dtype = elementNumpyName(array.memory.element),
                                 .bytesBefore = array.memory.bytesBefore,
                                 .dimensions = dimensionsOf(array)}});
  return arrays;
}

} // namespace hocket::dispatch
