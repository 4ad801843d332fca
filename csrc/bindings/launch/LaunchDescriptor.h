//===- LaunchDescriptor.h - What a launch needs of a tensor descriptor --------------===//
//
// hocket.nvidia.hopper.TensorDescriptor and TensorDescriptorIm2Col check what users write, and keep one of these. The
// driver encodes the map at the first launch; it is kept as long as the array stays where it is.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHDESCRIPTOR_H
#define HOCKET_BINDINGS_LAUNCHDESCRIPTOR_H

#include "bindings/launch/LaunchArray.h"
#include "runtime/TensorMap.h"
#include <optional>
#include <pybind11/pybind11.h>

namespace hocket::launch {

/// Which pixels of each image are walked over, and in what steps. The outermost dimension of an image first.
struct PixelBox {
  std::vector<int> lowerCorner, upperCorner, steps;
};

class LaunchDescriptor {
public:
  /// Throws LaunchError where `base` is no array. `specialization` is what kernels that are passed it are compiled for.
  LaunchDescriptor(pybind11::object base, pybind11::object specialization, const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, const std::vector<int64_t> &box, int swizzleBytes,
                   bool fillsNan, bool roundsToTf32, const std::optional<PixelBox> &pixels = {});

  /// Null where a TensorDescriptor is something else.
  static LaunchDescriptor *of(PyObject *object);

  PyObject *base() const { return array.ptr(); }
  PyObject *specialization() const { return type.ptr(); }
  const ArrayType &arrayType() const { return *reader; }
  /// Where the array lies now.
  ArrayMemory read(std::string_view parameter) const { return readArray(base(), *reader, parameter); }

  /// What a kernel on the GPU `memory.device` is passed.
  const EncodedTensorMap &encode(const ArrayMemory &memory);
  /// What an emulated kernel is passed.
  EncodedTensorMap describe(const ArrayMemory &memory) const;

  /// The outermost dimension first; strides in elements, without that of the last dimension, which is 1.
  const std::vector<int64_t> shape, strides;

private:
  TensorMap mapAt(const ArrayMemory &memory) const;

  pybind11::object array, type;
  const ArrayType *reader;
  TensorMap map; ///< without its address
  struct Encoded {
    void *address;
    int device;
    EncodedTensorMap bytes;
  };
  std::optional<Encoded> encoded;
};

} // namespace hocket::launch

#endif
