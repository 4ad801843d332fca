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

/// Returns HIP if PyTorch is loaded and built for it, or if CUDA has no GPU and HIP has one; otherwise CUDA.
Platform &gpuPlatform();

/// Returns a GPU of gpuPlatform(). If there is no such GPU, throws a LaunchError that lists the missing parts of CUDA
/// and HIP.
Device &gpuDevice(int ordinal);

/// Returns the number of GPUs of gpuPlatform(); 0 if kernels cannot be launched on the current GPU.
int usableGpus();

/// Returns a sentence that explains why there is no GPU.
std::string whyNoGpu();

/// True if PyTorch is loaded and built for HIP.
bool torchUsesHip();

/// DLPack's device type for GPUs of gpuPlatform(): kCuda or kRocm; kCpu before the platform has been chosen.
inline std::atomic<dlpack::DeviceType> gpuType = dlpack::kCpu;

/// Chooses the platform. Throws a LaunchError that names `parameter` if `type` is not the device type of gpuPlatform().
void decideGpuType(dlpack::DeviceType type, std::string_view parameter);

/// Throws a LaunchError that names `parameter` if kernels of this process cannot access arrays on devices of `type`.
inline void checkGpuType(dlpack::DeviceType type, std::string_view parameter) {
  if (gpuType.load(std::memory_order_relaxed) != type) [[unlikely]]
    decideGpuType(type, parameter);
}

} // namespace hocket::dispatch

#endif
