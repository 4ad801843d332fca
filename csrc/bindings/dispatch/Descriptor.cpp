//===- Descriptor.cpp - Tensor descriptor arguments ------------------------------------===//
#include "bindings/dispatch/Descriptor.h"
#include "bindings/Bindings.h"
#include "bindings/dispatch/DescriptorForm.h"
#include "bindings/dispatch/Platform.h"
#include "frontend/Signature.h"
#include "frontend/values/LanguageObjects.h"
#include "runtime/LaunchError.h"
#include <algorithm>
#include <cstring>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::dispatch {

static constexpr const char *kParameter = "base";

static const ArrayType &readerOf(py::handle base) {
  const ArrayType &reader = arrayTypeOf(Py_TYPE(base.ptr()));
  if (reader.reader == ArrayReader::NotAnArray)
    throw LaunchError(std::string("TensorDescriptor: base must be an array, not a ") + Py_TYPE(base.ptr())->tp_name);
  return reader;
}

/// Returns the element type of a tensor map for elements of type `element`. If TMA does not have this type, returns the
/// unsigned integer type of the same width, with which TMA copies the elements unchanged.
static TensorElement elementOf(Element element) {
  switch (element) {
  case Element::Int32:
    return TensorElement::I32;
  case Element::Int64:
    return TensorElement::I64;
  case Element::Float16:
    return TensorElement::F16;
  case Element::BFloat16:
    return TensorElement::BF16;
  case Element::Float32:
    return TensorElement::F32;
  case Element::Float64:
    return TensorElement::F64;
  default:
    break;
  }
  switch (elementBytes(element)) {
  case 1:
    return TensorElement::U8;
  case 2:
    return TensorElement::U16;
  case 4:
    return TensorElement::U32;
  default:
    return TensorElement::U64;
  }
}

LaunchDescriptor::LaunchDescriptor(py::object base, py::object specialization, const std::vector<int64_t> &shape,
                                   const std::vector<int64_t> &strides, const std::vector<int64_t> &box,
                                   int swizzleBytes, bool fillsNan, bool roundsToTf32,
                                   const std::optional<PixelBox> &pixels)
    : shape(shape), strides(strides.begin(), strides.end() - 1), array(std::move(base)),
      type(std::move(specialization)), reader(&readerOf(array)) {
  Element element = read(kParameter).element;
  map.rank = uint8_t(shape.size());
  map.element = roundsToTf32 ? TensorElement::TF32 : elementOf(element);
  map.elementBytes = uint8_t(elementBytes(element));
  map.swizzleBytes = uint8_t(swizzleBytes);
  map.fillsNan = fillsNan;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dimension = shape.size() - 1 - i;
    map.sizes[i] = uint32_t(shape[dimension]);
    map.strideBytes[i] = uint64_t(strides[dimension]) * map.elementBytes;
    map.box[i] = 1;
  }
  for (size_t i = 0; i < box.size(); ++i)
    map.box[i] = uint32_t(box[box.size() - 1 - i]);
  if (!pixels)
    return;
  map.isIm2col = 1;
  for (size_t i = 0; i < map.spatialRank(); ++i) {
    size_t dimension = map.spatialRank() - 1 - i;
    map.lowerCorner[i] = int16_t(pixels->lowerCorner[dimension]);
    map.upperCorner[i] = int16_t(pixels->upperCorner[dimension]);
    map.steps[i] = uint8_t(pixels->steps[dimension]);
  }
}

LaunchDescriptor::LaunchDescriptor(const LaunchDescriptor &like, py::object base)
    : shape(like.shape), strides(like.strides), array(std::move(base)), type(like.type), reader(&readerOf(array)),
      map(like.map) {}

LaunchDescriptor::LaunchDescriptor(const LaunchDescriptor &like, const ArrayMemory &memory, const ArrayType &arrayType)
    : shape(like.shape), strides(like.strides), type(like.type), reader(&arrayType), fixedMemory(memory),
      map(like.map) {}

LaunchDescriptor *LaunchDescriptor::of(PyObject *object) {
  if (LaunchDescriptor *formed = descriptorOfFormed(object))
    return formed;
  py::object held = py::getattr(object, "_launch_descriptor", py::none());
  return py::isinstance<LaunchDescriptor>(held) ? held.cast<LaunchDescriptor *>() : nullptr;
}

TensorMap LaunchDescriptor::mapAt(const ArrayMemory &memory) const {
  TensorMap result = map;
  result.address = reinterpret_cast<uint64_t>(memory.address);
  return result;
}

const EncodedTensorMap &LaunchDescriptor::encode(const ArrayMemory &memory) {
  if (!encoded || encoded->address != memory.address || encoded->device != memory.device) [[unlikely]]
    encoded = {memory.address, memory.device, gpuDevice(memory.device).encode(mapAt(memory))};
  return encoded->bytes;
}

EncodedTensorMap LaunchDescriptor::describe(const ArrayMemory &memory) const {
  EncodedTensorMap bytes{};
  TensorMap described = mapAt(memory);
  std::memcpy(&bytes, &described, sizeof(described));
  return bytes;
}

/// Returns (dtype, address, number of bytes from the address to the end of the array) of an array. The number of bytes
/// is None if it is unknown.
static py::tuple arrayMemory(py::handle base) {
  ArrayMemory memory = readArray(base.ptr(), readerOf(base), kParameter);
  frontend::ArgumentSpec spec = frontend::parseArgument(elementName(memory.element));
  py::object bytes = memory.isOnGpu || memory.bytes == 0 ? py::object(py::none()) : py::int_(memory.bytes);
  return py::make_tuple(frontend::elementTypeToPython(std::get<frontend::RuntimeArgument>(spec.kind).type),
                        reinterpret_cast<uintptr_t>(memory.address), bytes);
}

} // namespace hocket::dispatch

void hocket::bindings::bindDescriptors(py::module_ &module) {
  using dispatch::LaunchDescriptor;
  py::class_<dispatch::PixelBox>(module, "PixelBox")
      .def(py::init<std::vector<int>, std::vector<int>, std::vector<int>>(), py::arg("lower_corner"),
           py::arg("upper_corner"), py::arg("steps"));
  py::class_<LaunchDescriptor>(module, "LaunchDescriptor")
      .def(py::init<py::object, py::object, const std::vector<int64_t> &, const std::vector<int64_t> &,
                    const std::vector<int64_t> &, int, bool, bool, std::optional<dispatch::PixelBox>>(),
           py::arg("base"), py::arg("specialization"), py::arg("shape"), py::arg("strides"), py::arg("box"),
           py::arg("swizzle_bytes"), py::arg("fills_nan"), py::arg("rounds_to_tf32"), py::arg("pixels") = std::nullopt);
  module.def("array_memory", &dispatch::arrayMemory, py::arg("base"));
}
