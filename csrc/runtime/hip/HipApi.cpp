//===- HipApi.cpp - AMD GPUs through the HIP runtime -------------------------------===//
#include "runtime/hip/HipApi.h"
#include "runtime/driver/DriverPlatform.h"
#include "target/TargetInfo.h"

namespace hocket {

Platform &hipPlatform() {
  // The platform is never destroyed, because at process exit the HIP runtime may shut down first.
  static auto *platform = new driver::DriverPlatform<hip::Api>;
  return *platform;
}

namespace hip {

// Devices -------------------------------------------------------------------------------------------------------------

static std::string amdTargetNames() {
  std::string names;
  for (const TargetInfo &target : allTargets())
    if (target.vendor == Vendor::Amd)
      names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

DeviceInfo Api::readFacts(const Driver &driver, int ordinal) {
  DeviceId id = 0;
  check(driver.deviceGet(&id, ordinal), "opening the GPU");
  DeviceInfo facts;
  facts.ordinal = ordinal;
  // The target is the name of the architecture without the features after a colon, because Hocket's code objects do not
  // depend on xnack or sramecc.
  std::string architecture;
  check(driver.readArchitecture(architecture, ordinal), "querying the GPU's architecture");
  facts.target = architecture.substr(0, architecture.find(':'));
  char name[256] = {};
  check(driver.deviceGetName(name, sizeof(name), id), "querying the GPU's name");
  facts.name = *name ? name : "AMD GPU"; // HIP returns an empty name if libdrm's table of names is not installed
  check(driver.deviceTotalMem(&facts.memoryBytes, id), "querying the size of the GPU's memory");
  check(driver.deviceGetAttribute(&facts.multiprocessors, DeviceAttribute::MultiprocessorCount, id),
        "querying the number of compute units");
  check(driver.deviceGetAttribute(&facts.maxSharedBytes, DeviceAttribute::MaxSharedMemoryPerBlock, id),
        "querying the size of shared memory");
  const TargetInfo *target = findTarget(facts.target);
  if (!target || target->vendor != Vendor::Amd)
    throw LaunchError(
        facts.name + " has " +
        (architecture.empty() ? "an architecture that HIP does not name" : "the architecture " + architecture) +
        "; hocket supports " + amdTargetNames());
  return facts;
}

int Api::currentDevice(const Driver &driver) {
  int ordinal = 0;
  return driver.getDevice(&ordinal) == kSuccess ? ordinal : 0;
}

int Api::deviceOf(const Driver &driver, void *address) {
  int ordinal = 0;
  if (driver.pointerGetAttribute(&ordinal, kPointerAttributeDeviceOrdinal, address) == kSuccess)
    return ordinal;
  driver.getLastError(); // clears the thread's last error, for the reason given at throwResult
  return 0;
}

// Kernels -------------------------------------------------------------------------------------------------------------

Module Api::loadModule(const Driver &driver, const std::string &kernel, const std::string &code) {
  Module module = nullptr;
  Result result = driver.moduleLoadData(&module, code.data());
  if (result != kSuccess)
    throwResult(result, "loading kernel '" + kernel + "'");
  return module;
}

void Api::checkGrid(const GridSize &grid, int threads, const std::string &kernel) {
  // The packet that starts a kernel counts threads along each axis in 32 bits (HSA system architecture, "Kernel
  // dispatch packet"). Only x can exceed this limit: along y and z, blocks have one thread and kMaxGrid is far lower.
  const int64_t mostBlocks = UINT32_MAX / threads;
  if (grid[0] > mostBlocks) [[unlikely]]
    throw LaunchError("a grid of blocks with " + std::to_string(threads) + " threads has at most " +
                      std::to_string(mostBlocks) + " blocks along axis 0 on AMD GPUs, not " + std::to_string(grid[0]) +
                      " (kernel '" + kernel + "')");
}

Result Api::launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function, const GridSize &grid,
                              int dynamicSharedBytes, Stream stream, void **parameters) {
  unsigned x = grid[0], y = grid[1], z = grid[2], threads = facts.threads();
  if (!facts.cooperativeGrid)
    return driver.launchKernel(function, x, y, z, threads, 1, 1, dynamicSharedBytes, stream, parameters, nullptr);
  if (!driver.launchCooperativeKernel)
    throw LaunchError("the HIP runtime is too old for launch_cooperative_grid: it has no function "
                      "hipModuleLaunchCooperativeKernel");
  return driver.launchCooperativeKernel(function, x, y, z, threads, 1, 1, dynamicSharedBytes, stream, parameters);
}

EncodedTensorMap Api::encode(const Driver &, const DeviceInfo &device, const TensorMap &) {
  driver::throwNoTensorMaps(device);
}

} // namespace hip
} // namespace hocket
