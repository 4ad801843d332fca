//===- LaunchArray.h - Where the memory of an array argument lies ------------------===//
//
// Reads the address, element type and place of any array: PyTorch and other types with DLPack's C exchange table (no
// Python call), CuPy, types with `data_ptr()`, `__cuda_array_interface__`, `__dlpack__`, NumPy arrays, DLPack capsules.
// How a type is read is found out once per type.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHARRAY_H
#define HOCKET_BINDINGS_LAUNCHARRAY_H

#include "launch/ArrayMemory.h"
#include <Python.h>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::launch {

/// How objects of one Python type are read.
enum class ArrayReader : uint8_t { NotAnArray, Exchange, DataPtr, Cupy, Numpy, CudaInterface, Dlpack, Capsule, Masked };

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
