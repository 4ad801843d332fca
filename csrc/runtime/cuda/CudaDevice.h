//===- CudaDevice.h - NVIDIA GPUs through the CUDA driver --------------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDADEVICE_H
#define HOCKET_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/Device.h"
#include "third_party/cuda/Driver.h"
#include <string>

namespace hocket::cuda {

/// The GPU with this ordinal, its primary context (which PyTorch and CuPy use too) retained for the process's life.
/// Throws LaunchError when there is no such GPU.
Device &getDevice(int ordinal);

/// Its primary context.
Context contextOf(int ordinal);

/// How many GPUs the driver sees; 0 without a driver. Never throws.
int deviceCount();

/// The newest CUDA version that the driver supports, 13000 for 13.0; 0 without a driver.
int driverVersion();

/// One sentence on why deviceCount() is 0; empty otherwise.
std::string whyNoDevice();

/// The ordinal of the calling thread's current device; 0 when no context is current.
int currentDevice();

} // namespace hocket::cuda

#endif
