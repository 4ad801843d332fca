//===- Driver.cpp - Finds the HIP runtime's functions -----------------------------===//
#include "third_party/hip/Driver.h"
#include "third_party/DriverLoader.h"
#include <algorithm>
#include <string_view>
#include <vector>

namespace hocket::hip {

void Driver::findFunctions(SymbolFinder &find) {
  find(init, "hipInit")(driverGetVersion, "hipDriverGetVersion");
  find(getErrorName, "hipGetErrorName")(getErrorString, "hipGetErrorString")(getLastError, "hipGetLastError");
  find(deviceGetCount, "hipGetDeviceCount")(deviceGet, "hipDeviceGet")(deviceGetName, "hipDeviceGetName");
  find(deviceGetAttribute, "hipDeviceGetAttribute")(deviceTotalMem, "hipDeviceTotalMem");
  find(getDevice, "hipGetDevice")(setDevice, "hipSetDevice")(synchronize, "hipDeviceSynchronize");
  find(moduleLoadData, "hipModuleLoadData")(moduleUnload, "hipModuleUnload");
  find(moduleGetFunction, "hipModuleGetFunction")(funcGetAttribute, "hipFuncGetAttribute");
  find(launchKernel, "hipModuleLaunchKernel")(pointerGetAttribute, "hipPointerGetAttribute");
  find.optional(launchCooperativeKernel, "hipModuleLaunchCooperativeKernel");
  find(occupancyMaxActiveBlocks, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
  find(memAlloc, "hipMalloc")(memFree, "hipFree")(memsetD32Async, "hipMemsetD32Async");
  find(memAllocAsync, "hipMallocAsync")(memFreeAsync, "hipFreeAsync");
  find(eventCreate, "hipEventCreateWithFlags")(eventDestroy, "hipEventDestroy")(eventRecord, "hipEventRecord");
  find(eventSynchronize, "hipEventSynchronize")(eventElapsedTime, "hipEventElapsedTime");
  find.optional(memcpyDtoHAsync, "hipMemcpyDtoHAsync");
  find.optional(streamCreate, "hipStreamCreateWithFlags");
  find.optional(streamDestroy, "hipStreamDestroy");
  find.optional(streamSynchronize, "hipStreamSynchronize");
  find.optional(streamWaitEvent, "hipStreamWaitEvent");
  find.optional(memcpyDtoDAsync, "hipMemcpyDtoDAsync");
  find.optional(moduleGetGlobal, "hipModuleGetGlobal");
  // Only kernels that print or assert need the following functions.
  library.find(hostMalloc, "hipHostMalloc");
  library.find(launchHostFunction, "hipLaunchHostFunc");
  library.find(streamIsCapturing, "hipStreamIsCapturing");
  // hipDeviceProp_t has changed in ROCm 6. The function for the new struct has the suffix R0600.
  if (!library.find(getDeviceProperties, "hipGetDevicePropertiesR0600"))
    find(getDeviceProperties, "hipGetDeviceProperties");
}

std::string Driver::describe(Result result) const {
  std::string name = getErrorName(result), text = getErrorString(result);
  return text == name ? text : text + " (" + name + ")"; // ROCm 5 returns the name instead of a description
}

// The name of the architecture is not a device attribute, but a field of hipDeviceProp_t. The offset of this field
// differs in every major version of ROCm. readArchitecture therefore searches the struct for "gfx", so that it needs no
// definition of the struct. The search skips the first field, the device's name, which could also contain "gfx" and has
// the same size in all versions.
Result Driver::readArchitecture(std::string &architecture, int ordinal) const {
  constexpr size_t kNameBytes = 256, kAmpleBytes = 16384; // hipDeviceProp_t has at most 1472 bytes
  std::vector<char> properties(kAmpleBytes, '\0');
  Result result = getDeviceProperties(properties.data(), ordinal);
  constexpr std::string_view kPrefix = "gfx";
  auto found = std::search(properties.begin() + kNameBytes, properties.end(), kPrefix.begin(), kPrefix.end());
  architecture.assign(found, std::find(found, properties.end(), '\0'));
  return result;
}

/// Opens the HIP runtime. A process must not use two HIP runtimes, because the runtimes do not share memory and
/// streams. PyTorch contains its own HIP runtime, so a runtime that is already loaded has precedence, whatever its
/// path.
static SharedLibrary findLibrary() {
  if (SharedLibrary loaded = SharedLibrary::openLoaded("libamdhip64.so"))
    return loaded;
  const std::string names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  return SharedLibrary::openFirst(names);
}

const Driver *Driver::get(std::string *whyNot) {
  static const auto loaded = loadDriver<Driver>(findLibrary(), "the HIP runtime", "libamdhip64.so");
  return loaded.get(whyNot);
}

} // namespace hocket::hip
