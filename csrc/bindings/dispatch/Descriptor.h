//===- Descriptor.h - Tensor descriptor arguments --------------------------------------===//
//
// hocket.nvidia.hopper.TensorDescriptor and TensorDescriptorIm2Col verify users' parameters, and hold a
// LaunchDescriptor. At the first launch, the driver encodes the tensor map. The encoding is kept as long as the array's
// address does not change.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_DESCRIPTOR_H
#define HOCKET_BINDINGS_DISPATCH_DESCRIPTOR_H

#include "bindings/dispatch/Array.h"
#include "runtime/TensorMap.h"
#include <optional>
#include <pybind11/pybind11.h>

namespace hocket::dispatch {

/// The box of pixels that im2col traverses in each image, and the distance between the traversed pixels. The outermost
/// dimension of an image comes first.
struct PixelBox {
  std::vector<int> lowerCorner, upperCorner, steps;
};

class LaunchDescriptor {
public:
  /// Throws LaunchError if `base` is not an array. `specialization` determines the code of kernels that receive the
  /// descriptor.
  LaunchDescriptor(pybind11::object base, pybind11::object specialization, const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, const std::vector<int64_t> &box, int swizzleBytes,
                   bool fillsNan, bool roundsToTf32, const std::optional<PixelBox> &pixels = {});

  /// Returns the launch descriptor that a TensorDescriptor object holds; null if the object holds none.
  static LaunchDescriptor *of(PyObject *object);

  PyObject *base() const { return array.ptr(); }
  PyObject *specialization() const { return type.ptr(); }
  const ArrayType &arrayType() const { return *reader; }
  /// Returns the current address, element type and device of the array.
  ArrayMemory read(std::string_view parameter) const { return readArray(base(), *reader, parameter); }

  /// Returns the tensor map for a kernel on the GPU `memory.device`.
  const EncodedTensorMap &encode(const ArrayMemory &memory);
  /// Returns the tensor map for an emulated kernel.
  EncodedTensorMap describe(const ArrayMemory &memory) const;

  /// Shape and strides, the outermost dimension first. Strides are in elements. The stride of the last dimension is 1
  /// and is omitted.
  const std::vector<int64_t> shape, strides;

private:
  TensorMap mapAt(const ArrayMemory &memory) const;

  pybind11::object array, type;
  const ArrayType *reader;
  TensorMap map; ///< the tensor map, without the address of the tensor
  struct Encoded {
    void *address;
    int device;
    EncodedTensorMap bytes;
  };
  std::optional<Encoded> encoded;
};

} // namespace hocket::dispatch

#endif
