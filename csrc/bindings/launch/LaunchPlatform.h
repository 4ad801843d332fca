//===- LaunchPlatform.h - Whose GPUs this process launches on ----------------------===//
//
// CUDA's or HIP's, decided at the first question and for the process's life: PyTorch calls the devices of either
// "cuda", and the key of a launch holds nothing but a GPU's ordinal.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHPLATFORM_H
#define HOCKET_BINDINGS_LAUNCHPLATFORM_H

#include "runtime/Device.h"
#include "third_party/dlpack/DLPack.h"
#include <atomic>
#include <string_view>

namespace hocket::launch {

/// HIP where PyTorch is loaded and built for it, or where CUDA has no GPU and HIP has one.
Platform &gpuPlatform();

/// gpuPlatform()'s GPU. Throws LaunchError when there is no such GPU, with what is missing of CUDA and of HIP.
Device &gpuDevice(int ordinal);

/// How many GPUs gpuPlatform() has; 0 when the current one cannot be launched on.
int usableGpus();

/// One sentence on why there is no GPU.
std::string whyNoGpu();

/// True where PyTorch is loaded and built for HIP.
bool torchUsesHip();

/// What DLPack calls the GPUs of gpuPlatform(): kCuda or kRocm; kCpu before it was decided.
inline std::atomic<dlpack::DeviceType> gpuType = dlpack::kCpu;

/// Decides, then throws LaunchError naming `parameter` unless `type` is that of gpuPlatform().
void decideGpuType(dlpack::DeviceType type, std::string_view parameter);

/// Throws LaunchError naming `parameter` unless arrays on devices of `type` can be launched on here.
inline void checkGpuType(dlpack::DeviceType type, std::string_view parameter) {
  if (gpuType.load(std::memory_order_relaxed) != type) [[unlikely]]
    decideGpuType(type, parameter);
}

} // namespace hocket::launch

#endif
