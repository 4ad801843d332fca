//===- Driver.cpp - Finds the CUDA driver's functions -----------------------------===//
#include "third_party/cuda/Driver.h"

namespace hocket::cuda {

/// Fills `driver`; false when the library lacks one of the functions.
static bool findAll(Driver &driver, std::string &missing) {
  auto find = [&](auto *&function, const char *symbol) {
    if (driver.library.find(function, symbol))
      return true;
    missing = symbol;
    return false;
  };
  return find(driver.init, "cuInit") && find(driver.driverGetVersion, "cuDriverGetVersion") &&
         find(driver.getErrorName, "cuGetErrorName") && find(driver.getErrorString, "cuGetErrorString") &&
         find(driver.deviceGetCount, "cuDeviceGetCount") && find(driver.deviceGet, "cuDeviceGet") &&
         find(driver.deviceGetName, "cuDeviceGetName") && find(driver.deviceGetAttribute, "cuDeviceGetAttribute") &&
         find(driver.deviceTotalMem, "cuDeviceTotalMem_v2") &&
         find(driver.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") &&
         find(driver.ctxGetCurrent, "cuCtxGetCurrent") && find(driver.ctxSetCurrent, "cuCtxSetCurrent") &&
         find(driver.ctxGetDevice, "cuCtxGetDevice") && find(driver.ctxSynchronize, "cuCtxSynchronize") &&
         find(driver.moduleLoadDataEx, "cuModuleLoadDataEx") && find(driver.moduleUnload, "cuModuleUnload") &&
         find(driver.moduleGetFunction, "cuModuleGetFunction") && find(driver.funcGetAttribute, "cuFuncGetAttribute") &&
         find(driver.funcSetAttribute, "cuFuncSetAttribute") && find(driver.launchKernel, "cuLaunchKernel") &&
         find(driver.pointerGetAttribute, "cuPointerGetAttribute") && find(driver.memAlloc, "cuMemAlloc_v2") &&
         find(driver.memFree, "cuMemFree_v2") && find(driver.memcpyHtoD, "cuMemcpyHtoD_v2") &&
         find(driver.memcpyDtoH, "cuMemcpyDtoH_v2") && find(driver.memsetD32Async, "cuMemsetD32Async") &&
         find(driver.eventCreate, "cuEventCreate") && find(driver.eventDestroy, "cuEventDestroy_v2") &&
         find(driver.eventRecord, "cuEventRecord") && find(driver.eventSynchronize, "cuEventSynchronize") &&
         find(driver.eventElapsedTime, "cuEventElapsedTime");
}

namespace {
struct LoadResult {
  Driver driver;
  bool usable = false;
  std::string whyNot;
};
} // namespace

static LoadResult load() {
  LoadResult result;
  Driver &driver = result.driver;
  const std::string names[] = {"libcuda.so.1"};
  driver.library = SharedLibrary::openFirst(names);
  if (!driver.library) {
    result.whyNot = "the CUDA driver (libcuda.so.1) is not installed";
    return result;
  }
  std::string missing;
  if (!findAll(driver, missing)) {
    result.whyNot = "the CUDA driver is too old: it has no function " + missing;
    return result;
  }
  int count = 0;
  Result status = driver.init(0);
  if (status == kSuccess)
    status = driver.deviceGetCount(&count);
  if (status == kNoDevice || (status == kSuccess && count == 0)) {
    result.whyNot = "the CUDA driver sees no GPU";
    return result;
  }
  if (status != kSuccess) {
    const char *text = "unknown error";
    driver.getErrorString(status, &text);
    result.whyNot = std::string("the CUDA driver does not start: ") + text;
    return result;
  }
  result.usable = true;
  return result;
}

const Driver *Driver::get(std::string *whyNot) {
  static const LoadResult result = load();
  if (whyNot)
    *whyNot = result.whyNot;
  return result.usable ? &result.driver : nullptr;
}

} // namespace hocket::cuda
