//===- CudaKernel.h - A kernel loaded on an NVIDIA GPU -----------------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDAKERNEL_H
#define HOCKET_RUNTIME_CUDA_CUDAKERNEL_H

#include "runtime/Device.h"
#include "third_party/cuda/Driver.h"

namespace hocket::cuda {

/// Loads `image` into `context`, which must outlive the kernel. Throws as Device::load does.
std::unique_ptr<DeviceKernel> loadKernel(const Driver &driver, Context context, const DeviceInfo &device,
                                         const KernelImage &image);

} // namespace hocket::cuda

#endif
