//===- DriverErrors.cpp - Messages for driver errors -------------------------------===//
#include "runtime/driver/DriverErrors.h"
#include "runtime/LaunchError.h"
#include "target/Features.h"

namespace hocket::driver {

void throwFailure(FailureKind kind, const std::string &doing, const std::string &reason, const char *platform) {
  std::string message = doing + " failed: " + reason;
  if (kind == FailureKind::OutOfResources)
    throw OutOfResources(message);
  if (kind == FailureKind::Sticky)
    message += "\n  an earlier kernel broke the " + std::string(platform) +
               " context; this process can no longer use the GPU"
               "\n  hint: run the kernels with NumPy arrays: the emulator names the line and the access";
  throw LaunchError(message);
}

void checkSharedMemory(const KernelImage &image, const DeviceInfo &device) {
  if (image.facts.sharedBytes > device.maxSharedBytes)
    throw OutOfResources("out of resource: shared memory: kernel '" + image.facts.name + "' needs " +
                         std::to_string(image.facts.sharedBytes) + " bytes per block, " + device.name + " has " +
                         std::to_string(device.maxSharedBytes) + "\n  hint: use smaller tiles or fewer stages");
}

void checkThreads(const KernelImage &image, const KernelResources &used) {
  if (image.facts.threads() > used.maxThreads)
    throw OutOfResources("out of resource: registers: kernel '" + image.facts.name + "' uses " +
                         std::to_string(used.registers) + " registers per thread, which allows at most " +
                         std::to_string(used.maxThreads) + " threads per block; it needs " +
                         std::to_string(image.facts.threads()) + "\n  hint: use smaller tiles or a smaller num_warps");
}

void checkCooperativeGrid(const KernelFacts &facts, const GridSize &grid, int64_t programsAtOnce,
                          const DeviceInfo &device) {
  int64_t asked = grid[0] * grid[1] * grid[2];
  if (asked <= programsAtOnce)
    return;
  bool isClustered = facts.numCtas > 1;
  std::string programs = isClustered ? "clusters" : "blocks";
  std::string where = isClustered
                          ? ", " + std::to_string(facts.numCtas) + " blocks each"
                          : ", " + std::to_string(programsAtOnce / device.multiprocessors) + " on each of its " +
                                std::to_string(device.multiprocessors) + " multiprocessors";
  throw OutOfResources("out of resource: " + programs + " at once: launch_cooperative_grid=True runs all " + programs +
                       " of a grid at once, which are " + std::to_string(asked) + "; " + device.name + " can run " +
                       std::to_string(programsAtOnce) + " of kernel '" + facts.name + "' at once" + where +
                       "\n  hint: launch fewer " + programs + " and let each do several tiles in a loop");
}

void throwNoTensorMaps(const DeviceInfo &device) {
  throw LaunchError("tensor descriptors need " + kTma.describe() + "; " + device.name + " is none of these");
}

} // namespace hocket::driver
