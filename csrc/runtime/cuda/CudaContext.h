//===- CudaContext.h - Scopes for CUDA contexts and capture modes ------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDACONTEXT_H
#define HOCKET_RUNTIME_CUDA_CUDACONTEXT_H

#include "runtime/cuda/CheckResult.h"

namespace hocket::cuda {

/// Makes `context` current in this thread. The destructor restores the previous context. If no context was current
/// before, `context` stays current, as in the CUDA runtime.
class ScopedContext {
public:
  ScopedContext(const Driver &driver, Context context) : driver(driver) {
    check(driver.ctxGetCurrent(&previous), "querying the current CUDA context");
    if (previous == context) [[likely]] {
      previous = nullptr;
      return;
    }
    check(driver.ctxSetCurrent(context), "selecting the GPU");
  }
  ~ScopedContext() {
    if (previous) [[unlikely]]
      driver.ctxSetCurrent(previous);
  }
  ScopedContext(const ScopedContext &) = delete;

private:
  const Driver &driver;
  Context previous = nullptr;
};

/// Allows this thread to load modules while a stream is captured into a graph. Loading is necessary if a kernel's first
/// launch is captured. The captured work is not affected.
class AllowedInCapture {
public:
  explicit AllowedInCapture(const Driver &driver) : driver(driver) { driver.threadExchangeStreamCaptureMode(&mode); }
  ~AllowedInCapture() { driver.threadExchangeStreamCaptureMode(&mode); }
  AllowedInCapture(const AllowedInCapture &) = delete;

private:
  const Driver &driver;
  /// Capture mode that the constructor and the destructor exchange with the capture mode of this thread.
  CaptureMode mode = CaptureMode::Relaxed;
};

} // namespace hocket::cuda

#endif
