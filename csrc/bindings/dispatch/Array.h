//===- Array.h - Memory of array arguments ---------------------------------------------===//
//
// Reads the address, element type and device of an array argument. Supported are PyTorch tensors and other types with
// DLPack's C exchange table (read without a Python call), CuPy arrays, NumPy arrays, DLPack capsules, and types with
// `data_ptr()`, `__cuda_array_interface__` or `__dlpack__`. The protocol is determined once for each Python type.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_ARRAY_H
#define HOCKET_BINDINGS_DISPATCH_ARRAY_H

#include "dispatch/ArrayMemory.h"
#include <Python.h>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::dispatch {

/// Protocol by which the arrays of one Python type are read.
enum class ArrayReader : uint8_t { NotAnArray, Exchange, DataPtr, Cupy, Numpy, CudaInterface, Dlpack, Capsule, Masked };

struct ArrayType {
  PyTypeObject *type = nullptr;
  ArrayReader reader = ArrayReader::NotAnArray;
  const dlpack::ExchangeApi *exchange = nullptr;
  /// The DLPack exchange table, if it can return the current stream; null otherwise.
  const dlpack::ExchangeApi *streams = nullptr;
  /// For DataPtr: true if objects of the type have `get_device()`.
  bool knowsDevice = false;
};

/// Returns the ArrayType of a Python type. The first call for a type creates its ArrayType, which is never destroyed.
const ArrayType &arrayTypeOf(PyTypeObject *type);

/// Returns the memory of the array `object`. `type` is the ArrayType of the array's Python type. If the memory cannot
/// be passed to a kernel, throws a LaunchError that names `parameter`. If the array raises a Python exception, the
/// exception is not caught.
ArrayMemory readArray(PyObject *object, const ArrayType &type, std::string_view parameter);

} // namespace hocket::dispatch

#endif
