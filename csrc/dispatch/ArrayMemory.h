//===- ArrayMemory.h - Address, extent and device of array arguments -----------------===//
#ifndef HOCKET_DISPATCH_ARRAYMEMORY_H
#define HOCKET_DISPATCH_ARRAYMEMORY_H

#include "dispatch/Elements.h"
#include <cstddef>

namespace hocket::dispatch {

struct ArrayMemory {
  void *address = nullptr;
  Element element = Element::Float32;
  bool isOnGpu = false;
  bool writable = true;
  int device = 0;
  /// `bytes` is the number of bytes from `address` to the end of the highest element. `bytesBefore` is the number of
  /// bytes from the lowest element to `address`: 0 unless the array has negative strides. fromDlpack sets `bytes` and
  /// `bytesBefore` for arrays in host memory only.
  size_t bytes = 0;
  size_t bytesBefore = 0;
  bool hasGaps = false; ///< true if unused memory lies between the array's elements
};

/// Sets the number of bytes before and after `memory.address` that the elements occupy. `strides` are in units of
/// `strideUnit` bytes; if `strides` is null, the elements are contiguous in row-major order.
void setExtent(ArrayMemory &memory, int dimensions, const int64_t *shape, const int64_t *strides, int64_t strideUnit);

/// Returns the address and element type of a DLPack tensor, and its extent if it is in host memory. The caller checks
/// that kernels can be launched on GPUs of the tensor's vendor. Throws a LaunchError that names the kernel's parameter
/// `parameter` unless kernels support the element type and the device.
ArrayMemory fromDlpack(const dlpack::Tensor &tensor, bool writable, std::string_view parameter);

/// Returns kCuda for the device types of CUDA GPU memory (also managed memory), kRocm for ROCm GPU memory, and kCpu for
/// all others. `type` is a dlpack::DeviceType.
dlpack::DeviceType gpuTypeOf(int32_t type);

} // namespace hocket::dispatch

#endif
