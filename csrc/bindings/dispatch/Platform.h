//===- Platform.h - The GPU vendor of this process -------------------------------------===//
//
// A process uses the GPUs of either CUDA or HIP. The platform is chosen at its first use and never changes, because the
// key of a launch holds only the ordinal of the GPU, and PyTorch calls the GPUs of both vendors "cuda".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_PLATFORM_H
#define HOCKET_BINDINGS_DISPATCH_PLATFORM_H

#include "runtime/Device.h"
#include "third_party/dlpack/DLPack.h"
#include <atomic>
#include <string_view>

namespace hocket::dispatch {

/// Returns HIP's platform if PyTorch is loaded and built for HIP, or if only HIP has a GPU; otherwise CUDA's platform.
Platform &gpuPlatform();

/// Returns the GPU `ordinal` of gpuPlatform(). Throws LaunchError if the GPU does not exist. If the process has no GPU,
/// the error explains why neither CUDA nor HIP finds one.
Device &gpuDevice(int ordinal);

/// Returns the number of GPUs of gpuPlatform(); 0 if kernels cannot be launched on the current GPU.
int usableGpus();

/// Returns a text that explains why CUDA and HIP find no GPU.
std::string whyNoGpu();

/// True if PyTorch is loaded and built for HIP.
bool torchUsesHip();

/// DLPack's device type for GPUs of gpuPlatform(): kCuda or kRocm. `gpuType` is kCpu until the platform has been
/// chosen.
inline std::atomic<dlpack::DeviceType> gpuType = dlpack::kCpu;

/// Implements checkGpuType, including the choice of the platform. Throws a LaunchError that names `parameter` if `type`
/// is not the device type of gpuPlatform().
void decideGpuType(dlpack::DeviceType type, std::string_view parameter);

/// Throws a LaunchError that names `parameter` if `type` is not the device type of gpuPlatform(). Chooses the platform
/// if necessary.
inline void checkGpuType(dlpack::DeviceType type, std::string_view parameter) {
  if (gpuType.load(std::memory_order_relaxed) != type) [[unlikely]]
    decideGpuType(type, parameter);
}

} // namespace hocket::dispatch

#endif
