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
  // Functions for kernels that print or assert only.
  library.find(hostMalloc, "hipHostMalloc");
  library.find(launchHostFunction, "hipLaunchHostFunc");
  library.find(streamIsCapturing, "hipStreamIsCapturing");
  // ROCm 6 changed hipDeviceProp_t and gave the function for the new struct this name.
  if (!library.find(getDeviceProperties, "hipGetDevicePropertiesR0600"))
    find(getDeviceProperties, "hipGetDeviceProperties");
}

std::string Driver::describe(Result result) const {
  std::string name = getErrorName(result), text = getErrorString(result);
  return text == name ? text : text + " (" + name + ")"; // ROCm 5 has no descriptions and repeats the name
}

// The architecture's name is not an attribute; it is only in hipDeviceProp_t, a struct of a hundred fields whose
// offsets differ in every major version. Only one other field could contain such a word: the name at its beginning,
// whose size has never changed. So the rest is searched, which needs no definition of any version's struct.
Result Driver::readArchitecture(std::string &architecture, int ordinal) const {
  constexpr size_t kNameBytes = 256, kAmpleBytes = 16384; // the largest version has 1472
  std::vector<char> properties(kAmpleBytes, '\0');
  Result result = getDeviceProperties(properties.data(), ordinal);
  constexpr std::string_view kPrefix = "gfx";
  auto found = std::search(properties.begin() + kNameBytes, properties.end(), kPrefix.begin(), kPrefix.end());
  architecture.assign(found, std::find(found, properties.end(), '\0'));
  return result;
}

/// A program must not have two HIP runtimes, because they do not share memory and streams. PyTorch ships its own, so a
/// runtime that is already loaded is used, from any path.
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
