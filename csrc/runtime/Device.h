//===- Device.h - GPUs behind one interface ----------------------------------------===//
//
// A Device loads the machine code of a kernel; the DeviceKernel that comes back is launched. A Platform has the devices
// of one vendor. What CUDA and HIP do alike is written once, in driver/, for an `Api`: cuda/CudaApi.h, hip/HipApi.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_DEVICE_H
#define HOCKET_RUNTIME_DEVICE_H

#include "runtime/KernelFacts.h"
#include "runtime/TensorMap.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hocket {

struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  /// The target whose code the device runs: "sm_90a".
  std::string target;
  /// Set where the device runs no binary of `target` and its driver must compile PTX: GPUs newer than hocket.
  bool needsPtx = false;
  int multiprocessors = 0;
  int maxSharedBytes = 0;
  size_t memoryBytes = 0;
};

/// What the compiler made of one kernel.
struct KernelImage {
  /// cubin or hsaco bytes, or PTX text for the driver to compile.
  std::string_view code;
  const KernelFacts &facts;
};

struct KernelResources {
  int registers = 0;
  /// Bytes of local memory per lane that registers were spilled to.
  int spillBytes = 0;
  int maxThreads = 0;
};

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". HIP allows more; the emulator keeps
/// to these, so that what runs there runs on every GPU.
inline constexpr GridSize kMaxGrid = {INT32_MAX, 65535, 65535};

/// A kernel loaded on one device, ready to launch. Launching is thread-safe.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;

  /// Queues the kernel on `stream` and returns. `parameters[i]` points to the value of argument i, of whatever size;
  /// implicit arguments (KernelFacts.h) are added here. A grid with a zero launches nothing; none is larger than
  /// kMaxGrid. `profile`: the device's address at which the profiler's records are once the launch has ended,
  /// recordBytes of them (KernelFacts.h); 0: nobody reads them. Throws LaunchError.
  virtual void launch(const GridSize &grid, void *stream, std::span<void *const> parameters, uint64_t profile = 0) = 0;

  virtual const KernelResources &resources() const = 0;
};

/// A moment on a stream, for timing. Everything here throws LaunchError when the driver fails.
class DeviceEvent {
public:
  virtual ~DeviceEvent() = default;
  virtual void record(void *stream) = 0;
  virtual void synchronize() = 0;
  /// `start` is of the same device, and both must have happened.
  virtual float millisecondsSince(const DeviceEvent &start) const = 0;
};

/// GPU memory larger than any cache. Filling it evicts everything else, so that a timed kernel reads from memory.
class CacheFlusher {
public:
  virtual ~CacheFlusher() = default;
  /// Queued on `stream`.
  virtual void flush(void *stream) = 0;
};

/// GPU memory that kernels write and the host reads, without either side waiting for what does not concern it. It is
/// zero when it is made.
class ReadbackMemory {
public:
  virtual ~ReadbackMemory() = default;
  virtual size_t bytes() const = 0;
  virtual uint64_t address() const = 0;
  /// Says that what is queued on `stream` so far writes it.
  virtual void markWritten(void *stream) = 0;
  /// Waits for that, copies the first bytes to the host, and sets them to zero: beside other streams, from any thread.
  virtual void read(std::span<std::byte> to) = 0;
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;

  /// Throws OutOfResources when the kernel needs more than the device has, LaunchError when the driver refuses it.
  virtual std::unique_ptr<DeviceKernel> load(const KernelImage &image) = 0;

  /// The bytes that kernels are passed for `map`. Throws LaunchError where the driver refuses it, and on devices that
  /// have no TMA.
  virtual EncodedTensorMap encode(const TensorMap &map) = 0;

  /// Waits for everything queued on the device; errors of earlier kernels surface here.
  virtual void synchronize() = 0;

  virtual std::unique_ptr<DeviceEvent> makeEvent() = 0;
  virtual std::unique_ptr<CacheFlusher> makeCacheFlusher() = 0;
  /// `count` of them, each of `bytes` bytes, a multiple of 256. Memory of a GPU is dear to get: it may wait for
  /// kernels.
  virtual std::vector<std::unique_ptr<ReadbackMemory>> makeReadbacks(size_t bytes, size_t count) = 0;
  /// Whether what is queued on `stream` is captured into a graph instead of run.
  virtual bool isCapturing(void *stream) = 0;
};

/// The GPUs of one vendor and the driver that reaches them.
class Platform {
public:
  virtual ~Platform() = default;

  /// "cuda", "hip".
  virtual const char *name() const = 0;
  /// How many GPUs the driver sees; 0 without a driver. Never throws.
  virtual int deviceCount() = 0;
  /// One sentence on why deviceCount() is 0; empty otherwise.
  virtual std::string whyNoDevice() = 0;
  /// As the vendor counts, 13000 for CUDA 13.0; 0 without a driver.
  virtual int driverVersion() = 0;
  /// The GPU with this ordinal, made at its first use. Throws LaunchError when there is no such GPU, or none that we
  /// have code for.
  virtual Device &device(int ordinal) = 0;
  /// The ordinal of the calling thread's current device; 0 when it has none.
  virtual int currentDevice() = 0;
  /// The ordinal of the GPU that `address` belongs to; 0 when the driver does not say.
  virtual int deviceOf(void *address) = 0;
};

Platform &cudaPlatform();
Platform &hipPlatform();

} // namespace hocket

#endif
