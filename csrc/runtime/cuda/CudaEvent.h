//===- CudaEvent.h - Moments on a stream, for timing -------------------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDAEVENT_H
#define HOCKET_RUNTIME_CUDA_CUDAEVENT_H

#include "third_party/cuda/Driver.h"

namespace hocket::cuda {

class CudaEvent {
public:
  /// On the GPU with this ordinal. Throws LaunchError without one, as the functions below do when the driver fails.
  explicit CudaEvent(int ordinal);
  ~CudaEvent();
  CudaEvent(const CudaEvent &) = delete;

  void record(void *stream);
  void synchronize();
  /// Both events must have happened.
  float millisecondsSince(const CudaEvent &start) const;

private:
  const Driver &driver;
  Context context;
  Event event = nullptr;
};

/// GPU memory larger than any L2 cache. Filling it evicts everything else, so that a timed kernel reads from memory.
class CacheFlusher {
public:
  explicit CacheFlusher(int ordinal);
  ~CacheFlusher();
  CacheFlusher(const CacheFlusher &) = delete;

  /// Queued on `stream`.
  void flush(void *stream);

private:
  const Driver &driver;
  Context context;
  DevicePointer memory = 0;
};

} // namespace hocket::cuda

#endif
