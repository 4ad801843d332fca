//===- ArrayMemory.cpp - Address, extent and device of array arguments ---------------===//
#include "dispatch/ArrayMemory.h"
#include "runtime/LaunchError.h"
#include <string>

namespace hocket::dispatch {

void setExtent(ArrayMemory &memory, int dimensions, const int64_t *shape, const int64_t *strides, int64_t strideUnit) {
  int64_t elementSize = elementBytes(memory.element), highest = 0, lowest = 0, compact = 1;
  for (int i = dimensions - 1; i >= 0; --i) {
    if (shape[i] == 0)
      return;
    int64_t stride = strides ? strides[i] * strideUnit : compact * elementSize;
    compact *= shape[i];
    (stride > 0 ? highest : lowest) += (shape[i] - 1) * stride;
  }
  memory.bytes = highest + elementSize;
  memory.bytesBefore = -lowest;
  memory.hasGaps = compact * elementSize < highest - lowest + elementSize;
}

dlpack::DeviceType gpuTypeOf(int32_t type) {
  if (type == dlpack::kCuda || type == dlpack::kCudaManaged)
    return dlpack::kCuda;
  return type == dlpack::kRocm ? dlpack::kRocm : dlpack::kCpu;
}

ArrayMemory fromDlpack(const dlpack::Tensor &tensor, bool writable, std::string_view parameter) {
  ArrayMemory memory;
  memory.element = elementFromDlpack(tensor.dtype, parameter);
  memory.address = static_cast<char *>(tensor.data) + tensor.byteOffset;
  memory.writable = writable;
  memory.device = tensor.device.id;
  memory.isOnGpu = gpuTypeOf(tensor.device.type) != dlpack::kCpu;
  if (memory.isOnGpu)
    return memory;
  bool isHost = tensor.device.type == dlpack::kCpu || tensor.device.type == dlpack::kCudaHost ||
                tensor.device.type == dlpack::kRocmHost;
  if (!isHost)
    throw LaunchError("argument `" + std::string(parameter) +
                      "` is on a device that hocket cannot launch on "
                      "(DLPack device type " +
                      std::to_string(tensor.device.type) + ")");
  setExtent(memory, tensor.ndim, tensor.shape, tensor.strides, elementBytes(memory.element));
  return memory;
}

} // namespace hocket::dispatch
