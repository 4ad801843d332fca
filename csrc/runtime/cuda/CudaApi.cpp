//===- CudaApi.cpp - NVIDIA GPUs through the CUDA driver ---------------------------===//
#include "runtime/cuda/CudaApi.h"
#include "runtime/driver/DriverPlatform.h"
#include "target/TargetInfo.h"
#include <algorithm>
#include <climits>

namespace hocket {

Platform &cudaPlatform() {
  // The platform is never destroyed, because at process exit the driver may shut down first.
  static auto *platform = new driver::DriverPlatform<cuda::Api>;
  return *platform;
}

namespace cuda {

// Devices -------------------------------------------------------------------------------------------------------------

/// Selects the target for a compute capability. Returns false if no target supports the compute capability.
static bool chooseTarget(int major, int minor, DeviceInfo &info) {
  const TargetInfo *target = targetOfCapability(major, minor);
  if (!target)
    return false;
  info.target = target->name;
  // Machine code runs on GPUs of the same major version. For GPUs of later versions, the driver compiles the PTX.
  info.needsPtx = target->computeCapability / 10 != major;
  return true;
}

/// Returns the lowest compute capability on which the code of some target runs, such as "8.0".
static std::string lowestCapability() {
  int lowest = INT_MAX;
  for (const TargetInfo &target : allTargets())
    if (target.computeCapability > 0)
      lowest = std::min(lowest, target.computeCapability);
  return std::to_string(lowest / 10) + "." + std::to_string(lowest % 10);
}

static DeviceId deviceId(const Driver &driver, int ordinal) {
  DeviceId id = 0;
  check(driver.deviceGet(&id, ordinal), "opening the GPU");
  return id;
}

DeviceInfo Api::readFacts(const Driver &driver, int ordinal) {
  DeviceId id = deviceId(driver, ordinal);
  DeviceInfo facts;
  facts.ordinal = ordinal;
  char name[256] = {};
  check(driver.deviceGetName(name, sizeof(name), id), "querying the GPU's name");
  facts.name = name;
  check(driver.deviceTotalMem(&facts.memoryBytes, id), "querying the size of the GPU's memory");
  int major = 0, minor = 0;
  check(driver.deviceGetAttribute(&major, DeviceAttribute::ComputeCapabilityMajor, id),
        "querying the compute capability");
  check(driver.deviceGetAttribute(&minor, DeviceAttribute::ComputeCapabilityMinor, id),
        "querying the compute capability");
  check(driver.deviceGetAttribute(&facts.multiprocessors, DeviceAttribute::MultiprocessorCount, id),
        "querying the number of SMs");
  check(driver.deviceGetAttribute(&facts.maxSharedBytes, DeviceAttribute::MaxSharedMemoryPerBlockOptin, id),
        "querying the size of shared memory");
  if (!chooseTarget(major, minor, facts))
    throw LaunchError(facts.name + " has compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                      "; hocket needs " + lowestCapability() + " or newer");
  return facts;
}

Context Api::openCallContext(const Driver &driver, int ordinal) {
  Context context = nullptr;
  check(driver.devicePrimaryCtxRetain(&context, deviceId(driver, ordinal)), "creating a CUDA context");
  return context;
}

int Api::currentDevice(const Driver &driver) {
  Context current = nullptr;
  DeviceId id = 0;
  if (driver.ctxGetCurrent(&current) != kSuccess || !current || driver.ctxGetDevice(&id) != kSuccess)
    return 0;
  return id; // a CUdevice is the ordinal of the device
}

int Api::deviceOf(const Driver &driver, void *address) {
  int ordinal = 0;
  Result result = driver.pointerGetAttribute(&ordinal, kPointerAttributeDeviceOrdinal,
                                             reinterpret_cast<cuda::DevicePointer>(address));
  return result == kSuccess ? ordinal : 0;
}

// Kernels -------------------------------------------------------------------------------------------------------------

// Maximum size of dynamic shared memory for which a kernel needs no opt-in.
static constexpr int kSharedBytesWithoutOptIn = 48 * 1024;

Module Api::loadModule(const Driver &driver, const std::string &kernel, const std::string &code) {
  std::vector<char> log(8192, '\0');
  JitOption options[] = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferSizeBytes, JitOption::GenerateLineInfo};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size()), reinterpret_cast<void *>(uintptr_t(1))};
  Module module = nullptr;
  // The driver reads PTX up to a terminating zero, which c_str() provides; binaries contain their size.
  Result result = driver.moduleLoadDataEx(&module, code.c_str(), 3, options, values);
  if (result == kSuccess)
    return module;
  std::string doing = "loading kernel '" + kernel + "'";
  if (log[0])
    doing += " (" + std::string(log.data()) + ")";
  throwResult(result, doing);
}

/// Largest cluster size that every GPU with clusters supports.
static constexpr int kPortableClusterBlocks = 8;

void Api::prepare(const Driver &driver, const KernelFacts &facts, Function function, int dynamicSharedBytes) {
  if (facts.numCtas > kPortableClusterBlocks)
    check(driver.funcSetAttribute(function, FunctionAttribute::NonPortableClusterSizeAllowed, 1),
          "opting in to large clusters");
  if (dynamicSharedBytes > kSharedBytesWithoutOptIn)
    check(driver.funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, dynamicSharedBytes),
          "opting in to large shared memory");
}

static LaunchAttribute clusterOf(const KernelFacts &facts) {
  return {.id = LaunchAttribute::Id::ClusterDimension, .padding = {}, .cluster = {unsigned(facts.numCtas), 1, 1}};
}

static LaunchConfig configOf(const KernelFacts &facts, const GridSize &grid, int dynamicSharedBytes, Stream stream,
                             LaunchAttribute *attributes, unsigned count) {
  return {unsigned(grid[0] * facts.numCtas), // the blocks of a cluster are consecutive along x
          unsigned(grid[1]),
          unsigned(grid[2]),
          unsigned(facts.threads()),
          1,
          1,
          unsigned(dynamicSharedBytes),
          stream,
          attributes,
          count};
}

int64_t Api::clustersAtOnce(const Driver &driver, const KernelFacts &facts, Function function, int dynamicSharedBytes) {
  if (!driver.occupancyMaxActiveClusters)
    throw LaunchError("the CUDA driver is too old for launch_cooperative_grid with num_ctas: it has no function "
                      "cuOccupancyMaxActiveClusters");
  LaunchAttribute cluster = clusterOf(facts);
  LaunchConfig config = configOf(facts, {1, 1, 1}, dynamicSharedBytes, nullptr, &cluster, 1);
  int clusters = 0;
  check(driver.occupancyMaxActiveClusters(&clusters, function, &config),
        "querying the number of clusters that run at once");
  return clusters;
}

Result Api::launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function, const GridSize &grid,
                              int dynamicSharedBytes, Stream stream, void **parameters) {
  using Id = LaunchAttribute::Id;
  if (!driver.launchKernelEx)
    throw LaunchError("the CUDA driver is too old for launch_cooperative_grid, launch_pdl and num_ctas: it has no "
                      "function cuLaunchKernelEx");
  LaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (facts.cooperativeGrid)
    attributes[count++] = {.id = Id::Cooperative, .padding = {}, .value = 1};
  if (facts.programmaticLaunch)
    attributes[count++] = {.id = Id::ProgrammaticStreamSerialization, .padding = {}, .value = 1};
  if (facts.numCtas > 1)
    attributes[count++] = clusterOf(facts);
  LaunchConfig config = configOf(facts, grid, dynamicSharedBytes, stream, attributes, count);
  return driver.launchKernelEx(&config, function, parameters, nullptr);
}

/// Encodes a tensor map for im2col copies. In the arrays of `map` and of the driver's function, the innermost dimension
/// comes first.
static Result encodeIm2col(const Driver &driver, const TensorMap &map, const uint64_t *sizes, TensorMapSwizzle swizzle,
                           TensorMapFill fill, EncodedTensorMap &encoded) {
  int lower[TensorMap::kMaxSpatial], upper[TensorMap::kMaxSpatial];
  std::ranges::copy(map.lowerCorner, lower);
  std::ranges::copy(map.upperCorner, upper);
  uint32_t steps[TensorMap::kMaxRank];
  std::ranges::fill(steps, 1);
  std::ranges::copy_n(map.steps, map.spatialRank(), steps + 1);
  return driver.tensorMapEncodeIm2col(&encoded, int(map.element), map.rank, reinterpret_cast<void *>(map.address),
                                      sizes, map.strideBytes + 1, lower, upper, map.box[0], map.box[1], steps,
                                      TensorMapInterleave::None, swizzle, TensorMapPromotion::L2Bytes128, fill);
}

EncodedTensorMap Api::encode(const Driver &driver, const DeviceInfo &device, const TensorMap &map) {
  if (!findTarget(device.target)->hasTma)
    driver::throwNoTensorMaps(device);
  if (!driver.tensorMapEncodeTiled || !driver.tensorMapEncodeIm2col)
    throw LaunchError("the CUDA driver is too old for tensor descriptors: it has no function cuTensorMapEncodeTiled");
  auto swizzle = map.swizzleBytes == 128  ? TensorMapSwizzle::Bytes128
                 : map.swizzleBytes == 64 ? TensorMapSwizzle::Bytes64
                 : map.swizzleBytes == 32 ? TensorMapSwizzle::Bytes32
                                          : TensorMapSwizzle::None;
  uint64_t sizes[TensorMap::kMaxRank];
  uint32_t everyElement[TensorMap::kMaxRank];
  std::ranges::copy(map.sizes, sizes);
  std::ranges::fill(everyElement, 1);
  auto fill = map.fillsNan ? TensorMapFill::Nan : TensorMapFill::Zeros;
  alignas(64) EncodedTensorMap encoded;
  if (map.isIm2col) {
    check(encodeIm2col(driver, map, sizes, swizzle, fill, encoded), "encoding an im2col tensor descriptor");
    return encoded;
  }
  // The stride of the innermost dimension is not passed, because it is always one element.
  check(driver.tensorMapEncodeTiled(&encoded, int(map.element), map.rank, reinterpret_cast<void *>(map.address), sizes,
                                    map.strideBytes + 1, map.box, everyElement, TensorMapInterleave::None, swizzle,
                                    TensorMapPromotion::L2Bytes128, fill),
        "encoding a tensor descriptor");
  return encoded;
}

} // namespace cuda
} // namespace hocket
