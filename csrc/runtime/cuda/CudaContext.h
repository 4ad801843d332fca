//===- CudaContext.h - Makes a device's context current for a while ----------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDACONTEXT_H
#define HOCKET_RUNTIME_CUDA_CUDACONTEXT_H

#include "runtime/cuda/CheckResult.h"

namespace hocket::cuda {

/// Makes `context` current in this thread. A context that was current before comes back at the end; where none was,
/// ours stays, as the CUDA runtime would do.
class ScopedContext {
public:
  ScopedContext(const Driver &driver, Context context) : driver(driver) {
    check(driver.ctxGetCurrent(&previous), "asking for the current CUDA context");
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

/// Lets this thread load modules while a stream is captured, into a graph: a kernel may be launched for the first time
/// then. Nothing that is captured is touched by that.
class AllowedInCapture {
public:
  explicit AllowedInCapture(const Driver &driver) : driver(driver) { driver.threadExchangeStreamCaptureMode(&mode); }
  ~AllowedInCapture() { driver.threadExchangeStreamCaptureMode(&mode); }
  AllowedInCapture(const AllowedInCapture &) = delete;

private:
  const Driver &driver;
  CaptureMode mode = CaptureMode::Relaxed; ///< to exchange this thread's for
};

} // namespace hocket::cuda

#endif
