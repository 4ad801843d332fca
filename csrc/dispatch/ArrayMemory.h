//===- ArrayMemory.h - Memory of array arguments -------------------------------------===//
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
  /// `bytes`: number of bytes from `address` to the end of the highest element. `bytesBefore`: number of bytes from the
  /// lowest element to `address`, for a view with negative strides. Both numbers are set for host memory only.
  size_t bytes = 0;
  size_t bytesBefore = 0;
  bool hasGaps = false; ///< true if there is unused memory between elements
};

/// Sets the number of bytes before and after `memory.address` that the elements occupy. `strides` count units of
/// `strideUnit` bytes; null means contiguous elements in row-major order.
void setExtent(ArrayMemory &memory, int dimensions, const int64_t *shape, const int64_t *strides, int64_t strideUnit);

/// Returns the memory that a DLPack tensor describes. The caller checks that kernels can be launched on GPUs of the
/// tensor's vendor. Throws LaunchError naming `parameter` if the memory cannot be passed to a kernel.
ArrayMemory fromDlpack(const dlpack::Tensor &tensor, bool writable, std::string_view parameter);

/// Returns kCuda or kRocm if `type`, a dlpack::DeviceType, is memory of a CUDA or ROCm GPU; else kCpu.
dlpack::DeviceType gpuTypeOf(int32_t type);

} // namespace hocket::dispatch

#endif
