//===- DriverErrors.h - What users read when a driver refuses ----------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERERRORS_H
#define HOCKET_RUNTIME_DRIVER_DRIVERERRORS_H

#include "runtime/Device.h"

namespace hocket::driver {

enum class FailureKind {
  Ordinary,
  /// The kernel needs more than the device can give.
  OutOfResources,
  /// Every later call fails too, whatever it does.
  Sticky,
};

/// Throws LaunchError or OutOfResources: "<doing> failed: <reason>". `platform` is the library's name: "CUDA".
[[noreturn]] void throwFailure(FailureKind kind, const std::string &doing, const std::string &reason,
                               const char *platform);

/// Throws OutOfResources when a block of the kernel needs more shared memory than `device` has.
void checkSharedMemory(const KernelImage &image, const DeviceInfo &device);

/// Throws OutOfResources when the kernel's registers leave no room for its threads.
void checkThreads(const KernelImage &image, const KernelResources &used);

/// Throws OutOfResources when not all blocks of `grid` run at once, of which a multiprocessor of `device` runs
/// `blocksAtOnce`.
void checkCooperativeGrid(const KernelFacts &facts, const GridSize &grid, int64_t programsAtOnce,
                          const DeviceInfo &device);

} // namespace hocket::driver

#endif
