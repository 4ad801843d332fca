//===- LaunchArray.h - Where the memory of an array argument lies ------------------===//
//
// Reads the address, element type and place of any array: PyTorch and other types with DLPack's C exchange table (no
// Python call), CuPy, types with `data_ptr()`, `__cuda_array_interface__`, `__dlpack__`, NumPy arrays, DLPack capsules.
// How a type is read is found out once per type.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHARRAY_H
#define HOCKET_BINDINGS_LAUNCHARRAY_H

#include "third_party/dlpack/DLPack.h"
#include <Python.h>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::launch {

/// Element types as signatures spell them, see frontend/values/Signature.h.
enum class Element : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E5,
  F8E4NV,
  F8E5B16,
  F8E4B8,
  F16,
  BF16,
  F32,
  F64
};

const char *elementName(Element element);
/// NumPy's name: "float32".
const char *elementNumpyName(Element element);
int elementBytes(Element element);

struct ArrayMemory {
  void *address = nullptr;
  Element element = Element::F32;
  bool isOnGpu = false;
  bool writable = true;
  int device = 0;
  /// Bytes from `address` to the end of the highest element, and from the lowest element to `address`: a view with
  /// negative strides begins in the middle of its memory. Known for host memory only.
  size_t bytes = 0;
  size_t bytesBefore = 0;
};

/// How objects of one Python type are read.
enum class ArrayReader : uint8_t { NotAnArray, Exchange, DataPtr, Cupy, Numpy, CudaInterface, Dlpack, Capsule };

struct ArrayType {
  PyTypeObject *type = nullptr;
  ArrayReader reader = ArrayReader::NotAnArray;
  const dlpack::ExchangeApi *exchange = nullptr;
  /// `exchange`, where it knows the current stream; else null.
  const dlpack::ExchangeApi *streams = nullptr;
  /// DataPtr: objects of the type have `get_device()`.
  bool knowsDevice = false;
};

/// The entry of `type`, found out at the first call. Stays valid.
const ArrayType &arrayTypeOf(PyTypeObject *type);

/// Reads `object`, whose type's entry is `type` and not NotAnArray. Throws LaunchError naming `parameter` when the
/// memory cannot be passed to a kernel, or a Python error that the object raised.
ArrayMemory readArray(PyObject *object, const ArrayType &type, std::string_view parameter);

} // namespace hocket::launch

#endif
