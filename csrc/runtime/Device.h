//===- Device.h - Vendor-independent interface to GPUs -----------------------------===//
//
// A Device loads the machine code of a kernel and returns a DeviceKernel, which can be launched. A Platform provides
// the devices of one vendor. Common code for CUDA and HIP is in driver/, as templates over an `Api`: cuda/CudaApi.h,
// hip/HipApi.h. Kernels on the emulator are DeviceKernels too: bindings/emulator/Kernel.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_DEVICE_H
#define HOCKET_RUNTIME_DEVICE_H

#include "runtime/HostArray.h"
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
  /// Target whose code the device runs, such as "sm_90a".
  std::string target;
  /// True if the device cannot run machine code for `target`, so that its driver must compile PTX. `needsPtx` is true
  /// for GPUs for which Hocket generates no machine code.
  bool needsPtx = false;
  int multiprocessors = 0;
  int maxSharedBytes = 0;
  size_t memoryBytes = 0;
};

/// Compiler output for one kernel.
struct KernelImage {
  /// A cubin, a code object (hsaco), or PTX text for the driver to compile.
  std::string_view code;
  const KernelFacts &facts;
};

struct KernelResources {
  int registers = 0;
  /// Bytes of local memory per lane for spilled registers.
  int spillBytes = 0;
  int maxThreads = 0;
};

/// Maximum number of blocks along each axis of a grid (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability"). HIP allows larger grids. The emulator enforces CUDA's limits on the grid, so that a grid that
/// runs on the emulator runs on every GPU.
inline constexpr GridSize kMaxGrid = {INT32_MAX, 65535, 65535};

struct KernelLaunch {
  /// Number of blocks along each axis, at most kMaxGrid. If the number is 0 along any axis, nothing is launched.
  GridSize grid;
  void *stream = nullptr;
  /// parameters[i] points to the value of argument i. A value of at most 8 bytes occupies 8 bytes, of which the lowest
  /// are used. A wider value occupies the size of its type. The DeviceKernel appends the implicit arguments
  /// (KernelFacts.h) itself.
  std::span<void *const> parameters;
  /// The array arguments in host memory. Emulated kernels check their accesses against these arrays. For a launch on a
  /// GPU, `arrays` is empty.
  std::span<const HostArray> arrays = {};
  /// Address on the device to which the profiler's records (KernelFacts::recordBytesOf bytes) are copied when the
  /// launch has ended; 0 if the records are discarded.
  uint64_t profile = 0;
};

/// A kernel loaded on one device, or on the emulator. Launching is thread-safe.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;

  /// Queues the kernel on the stream and returns without waiting; an emulated kernel has already run when the function
  /// returns. Throws LaunchError, or the Python error of an emulated kernel that fails.
  virtual void launch(const KernelLaunch &launch) = 0;

  /// Returns the registers and memory that the kernel uses; null for an emulated kernel.
  virtual const KernelResources *resources() const = 0;
};

/// An event that is recorded on a stream, for timing. All functions throw LaunchError when the driver fails.
class DeviceEvent {
public:
  virtual ~DeviceEvent() = default;
  virtual void record(void *stream) = 0;
  virtual void synchronize() = 0;
  /// Returns the time from `start` to this event. The two events must be of the same device and have completed.
  virtual float millisecondsSince(const DeviceEvent &start) const = 0;
};

/// GPU memory larger than any cache. Filling memory larger than any cache evicts all other data from the caches, so
/// that a timed kernel reads from memory.
class CacheFlusher {
public:
  virtual ~CacheFlusher() = default;
  /// Queues the cache flush on `stream`.
  virtual void flush(void *stream) = 0;
};

/// GPU memory that kernels write and the host reads. Neither writing nor reading the memory waits for unrelated work.
/// The memory is initialized to zero.
class ReadbackMemory {
public:
  virtual ~ReadbackMemory() = default;
  virtual size_t bytes() const = 0;
  virtual uint64_t address() const = 0;
  /// Declares that work already queued on `stream` writes the memory.
  virtual void markWritten(void *stream) = 0;
  /// Waits for the work declared by markWritten, copies the first to.size() bytes of the memory to the host, and then
  /// sets these bytes to zero. The copy runs concurrently with work on other streams. Any thread can call `read`.
  virtual void read(std::span<std::byte> to) = 0;
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;

  /// Loads a kernel. Throws OutOfResources if the kernel needs more resources than the device has, LaunchError if the
  /// driver rejects the kernel.
  virtual std::unique_ptr<DeviceKernel> load(const KernelImage &image) = 0;

  /// Returns the bytes that kernels receive for `map`. Throws LaunchError if the driver rejects `map`, and on devices
  /// without TMA.
  virtual EncodedTensorMap encode(const TensorMap &map) = 0;

  /// Waits for all work queued on the device. Throws errors of earlier kernels.
  virtual void synchronize() = 0;

  virtual std::unique_ptr<DeviceEvent> makeEvent() = 0;
  virtual std::unique_ptr<CacheFlusher> makeCacheFlusher() = 0;
  /// Allocates `count` buffers of `bytes` bytes each. `bytes` must be a multiple of 256. Allocating GPU memory is
  /// expensive, because the driver sometimes waits for running kernels.
  virtual std::vector<std::unique_ptr<ReadbackMemory>> makeReadbacks(size_t bytes, size_t count) = 0;
  /// True if work queued on `stream` is captured into a graph instead of executed.
  virtual bool isCapturing(void *stream) = 0;
};

/// The GPUs of one vendor and their driver.
class Platform {
public:
  virtual ~Platform() = default;

  /// Returns "cuda" or "hip".
  virtual const char *name() const = 0;
  /// Returns the number of GPUs that the driver reports; 0 without a driver. Never throws.
  virtual int deviceCount() = 0;
  /// Returns a sentence that explains why deviceCount() is 0; empty otherwise.
  virtual std::string whyNoDevice() = 0;
  /// Returns the driver's version in the vendor's encoding, such as 13000 for CUDA 13.0; 0 without a driver.
  virtual int driverVersion() = 0;
  /// Returns the GPU with this ordinal, which is initialized at its first use. Throws LaunchError if there is no such
  /// GPU, or if Hocket has no code for it.
  virtual Device &device(int ordinal) = 0;
  /// Returns the ordinal of the calling thread's current device; 0 if the thread has no current device.
  virtual int currentDevice() = 0;
  /// Returns the ordinal of the GPU that owns `address`; 0 if the driver does not report an owner.
  virtual int deviceOf(void *address) = 0;
};

Platform &cudaPlatform();
Platform &hipPlatform();

} // namespace hocket

#endif
