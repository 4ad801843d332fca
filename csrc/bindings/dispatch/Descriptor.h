//===- Descriptor.h - Tensor descriptor arguments --------------------------------------===//
//
// The Python classes hocket.nvidia.hopper.TensorDescriptor and TensorDescriptorIm2Col verify the user's parameters, and
// hold a LaunchDescriptor. At the first launch, the driver encodes the tensor map. Later launches reuse the encoded
// tensor map while the array has the same address and device.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_DESCRIPTOR_H
#define HOCKET_BINDINGS_DISPATCH_DESCRIPTOR_H

#include "bindings/dispatch/Array.h"
#include "runtime/TensorMap.h"
#include <optional>
#include <pybind11/pybind11.h>

namespace hocket::dispatch {

/// The box of pixels that an im2col copy traverses in each image. `steps` are the distances between the traversed
/// pixels. In each vector, the outermost dimension of the image comes first.
struct PixelBox {
  std::vector<int> lowerCorner, upperCorner, steps;
};

class LaunchDescriptor {
public:
  /// `specialization` is the part of the descriptor that is compiled into kernels, such as the element type, the block
  /// shape and the layout. Throws LaunchError if `base` is not an array.
  LaunchDescriptor(pybind11::object base, pybind11::object specialization, const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, const std::vector<int64_t> &box, int swizzleBytes,
                   bool fillsNan, bool roundsToTf32, const std::optional<PixelBox> &pixels = {});

  /// Makes a descriptor of `base` with the properties of `like`. `base` must have the element type, the shape and the
  /// strides of the array of `like`.
  LaunchDescriptor(const LaunchDescriptor &like, pybind11::object base);
  /// Makes a descriptor of the same properties for `memory`, without a reference to an array. `type` is the ArrayType of
  /// the array that has the memory.
  LaunchDescriptor(const LaunchDescriptor &like, const ArrayMemory &memory, const ArrayType &type);

  /// Returns the launch descriptor that a TensorDescriptor object or a FormedDescriptor holds; null if the object holds
  /// none.
  static LaunchDescriptor *of(PyObject *object);

  PyObject *base() const { return array.ptr(); }
  PyObject *specialization() const { return type.ptr(); }
  const ArrayType &arrayType() const { return *reader; }
  /// Returns the current memory (address, element type and device) of the array.
  ArrayMemory read(std::string_view parameter) const {
    return fixedMemory ? *fixedMemory : readArray(base(), *reader, parameter);
  }

  /// Returns the tensor map as the driver encodes it for kernels on the GPU `memory.device`.
  const EncodedTensorMap &encode(const ArrayMemory &memory);
  /// Returns the tensor map as emulated kernels receive it: the bytes of a TensorMap.
  EncodedTensorMap describe(const ArrayMemory &memory) const;

  /// Shape and strides of the tensor, the outermost dimension first. Strides are in elements. `strides` has no entry
  /// for the innermost dimension, whose stride is always 1.
  const std::vector<int64_t> shape, strides;

private:
  TensorMap mapAt(const ArrayMemory &memory) const;

  pybind11::object array, type;
  const ArrayType *reader;
  std::optional<ArrayMemory> fixedMemory; ///< the memory of a descriptor that holds no array
  TensorMap map;                          ///< tensor map whose address is 0, because the array's address can change
  struct Encoded {
    void *address;
    int device;
    EncodedTensorMap bytes;
  };
  std::optional<Encoded> encoded;
};

} // namespace hocket::dispatch

#endif
