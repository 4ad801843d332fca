//===- DriverErrors.h - Messages for driver errors ---------------------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERERRORS_H
#define HOCKET_RUNTIME_DRIVER_DRIVERERRORS_H

#include "runtime/Device.h"

namespace hocket::driver {

enum class FailureKind {
  Ordinary,
  /// The kernel needs more resources than the device has.
  OutOfResources,
  /// The device is unusable for this process: every later call of the driver fails, too.
  Sticky,
};

/// Throws LaunchError or OutOfResources: "<doing> failed: <reason>". `platform` is the name of the vendor's library,
/// such as "CUDA".
[[noreturn]] void throwFailure(FailureKind kind, const std::string &doing, const std::string &reason,
                               const char *platform);

/// Throws OutOfResources if a block of the kernel needs more shared memory than `device` has.
void checkSharedMemory(const KernelImage &image, const DeviceInfo &device);

/// Throws OutOfResources if the registers of all threads of a block exceed the register file.
void checkThreads(const KernelImage &image, const KernelResources &used);

/// Throws OutOfResources unless all blocks or clusters of `grid` fit on `device` at once. `programsAtOnce` is the
/// number of blocks or clusters that fit.
void checkCooperativeGrid(const KernelFacts &facts, const GridSize &grid, int64_t programsAtOnce,
                          const DeviceInfo &device);

/// Throws the LaunchError for tensor descriptors on a `device` that does not support them.
[[noreturn]] void throwNoTensorMaps(const DeviceInfo &device);

} // namespace hocket::driver

#endif
