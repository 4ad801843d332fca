//===- Device.h - GPUs behind one interface ----------------------------------------===//
//
// A Device loads the machine code of a kernel; the DeviceKernel that comes back is launched. CUDA is the one
// implementation so far (cuda/CudaDevice.h); HIP fits the same interface.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_DEVICE_H
#define HOCKET_RUNTIME_DEVICE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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
  std::string name;
  int threads = 0;
  int sharedBytes = 0;
};

struct KernelResources {
  int registers = 0;
  /// Bytes of local memory per lane that registers were spilled to.
  int spillBytes = 0;
  int maxThreads = 0;
};

using GridSize = std::array<int64_t, 3>;

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". HIP allows more; the emulator keeps
/// to these, so that what runs there runs on every GPU.
inline constexpr GridSize kMaxGrid = {INT32_MAX, 65535, 65535};

/// A kernel loaded on one device, ready to launch. Launching is thread-safe.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;

  /// Queues the kernel on `stream` and returns. `parameters[i]` points to the value of argument i. A grid with a zero
  /// launches nothing; none is larger than kMaxGrid. Throws LaunchError.
  virtual void launch(const GridSize &grid, void *stream, void **parameters) = 0;

  virtual const KernelResources &resources() const = 0;
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;

  /// Throws OutOfResources when the kernel needs more than the device has, LaunchError when the driver refuses it.
  virtual std::unique_ptr<DeviceKernel> load(const KernelImage &image) = 0;

  /// Waits for everything queued on the device; errors of earlier kernels surface here.
  virtual void synchronize() = 0;
};

} // namespace hocket

#endif
