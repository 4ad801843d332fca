//===- Platform.h - The GPU vendor of this process -------------------------------------===//
//
// CUDA's or HIP's GPUs, chosen at the first use and for the lifetime of the process: PyTorch calls the devices of both
// "cuda", and the key of a launch holds only a GPU's ordinal.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_PLATFORM_H
#define HOCKET_BINDINGS_DISPATCH_PLATFORM_H

#include "runtime/Device.h"
#include "third_party/dlpack/DLPack.h"
#include <atomic>
#include <string_view>

namespace hocket::dispatch {

/// Returns HIP if PyTorch is loaded and built for it, or if CUDA has no GPU and HIP has one; otherwise CUDA.
Platform &gpuPlatform();

/// Returns a GPU of gpuPlatform(). Throws LaunchError if there is no such GPU, with the missing parts of CUDA and HIP.
Device &gpuDevice(int ordinal);

/// Returns the number of GPUs of gpuPlatform(); 0 if the current one cannot be launched on.
int usableGpus();

/// Returns one sentence on why there is no GPU.
std::string whyNoGpu();

/// True if PyTorch is loaded and built for HIP.
bool torchUsesHip();

/// DLPack's device type for GPUs of gpuPlatform(): kCuda or kRocm; kCpu before the choice.
inline std::atomic<dlpack::DeviceType> gpuType = dlpack::kCpu;

/// Chooses the platform, then throws LaunchError naming `parameter` unless `type` is that of gpuPlatform().
void decideGpuType(dlpack::DeviceType type, std::string_view parameter);

/// Throws LaunchError naming `parameter` unless arrays on devices of `type` can be launched on here.
inline void checkGpuType(dlpack::DeviceType type, std::string_view parameter) {
  if (gpuType.load(std::memory_order_relaxed) != type) [[unlikely]]
    decideGpuType(type, parameter);
}

} // namespace hocket::dispatch

#endif
