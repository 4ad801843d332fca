//===- LaunchValues.cpp - Launch arguments given as bits ---------------------------===//
#include "bindings/LaunchValues.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

static ArrayArgument readArray(py::handle value) {
  using Dimensions = std::vector<std::pair<int64_t, int64_t>>;
  auto [address, bytes, writable, dtype, bytesBefore, dimensions] =
      value.cast<std::tuple<uintptr_t, size_t, bool, std::string, size_t, Dimensions>>();
  ArrayArgument array = {.data = reinterpret_cast<void *>(address),
                         .bytes = bytes,
                         .writable = writable,
                         .dtype = std::move(dtype),
                         .bytesBefore = bytesBefore};
  for (auto [size, strideBytes] : dimensions)
    array.dimensions.push_back({size, strideBytes});
  return array;
}

LaunchValues::LaunchValues(const py::list &given) {
  for (size_t i = 0; i < given.size(); ++i) {
    py::object value = given[i];
    if (py::isinstance<py::bytes>(value)) {
      values.appendWide(value.cast<std::string_view>());
    } else if (py::isinstance<py::list>(value)) {
      py::object map = value[py::int_(0)];
      values.appendWide(map.cast<std::string_view>());
      arrays.push_back({.argument = i, .isDescribed = true, .memory = readArray(value[py::int_(1)])});
    } else if (py::isinstance<py::tuple>(value)) {
      arrays.push_back({.argument = i, .memory = readArray(value)});
      values.append(reinterpret_cast<uintptr_t>(arrays.back().memory.data));
    } else {
      values.append(value.cast<uint64_t>());
    }
  }
}

} // namespace hocket::bindings
