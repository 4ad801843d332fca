//===- Driver.cpp - Finds the CUDA driver's functions -----------------------------===//
#include "third_party/cuda/Driver.h"
#include "third_party/DriverLoader.h"
#include "third_party/cuda/InitInChild.h"

namespace hocket::cuda {

void Driver::findFunctions(SymbolFinder &find) {
  find(init, "cuInit")(driverGetVersion, "cuDriverGetVersion");
  find(getErrorName, "cuGetErrorName")(getErrorString, "cuGetErrorString");
  find(deviceGetCount, "cuDeviceGetCount")(deviceGet, "cuDeviceGet")(deviceGetName, "cuDeviceGetName");
  find(deviceGetAttribute, "cuDeviceGetAttribute")(deviceTotalMem, "cuDeviceTotalMem_v2");
  find(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")(ctxGetCurrent, "cuCtxGetCurrent");
  find(ctxSetCurrent, "cuCtxSetCurrent")(ctxGetDevice, "cuCtxGetDevice")(synchronize, "cuCtxSynchronize");
  find(moduleLoadDataEx, "cuModuleLoadDataEx")(moduleUnload, "cuModuleUnload");
  find(moduleGetFunction, "cuModuleGetFunction")(funcGetAttribute, "cuFuncGetAttribute");
  find(funcSetAttribute, "cuFuncSetAttribute")(launchKernel, "cuLaunchKernel");
  find.optional(launchKernelEx, "cuLaunchKernelEx");
  find(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find.optional(occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters");
  find(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode");
  find(pointerGetAttribute, "cuPointerGetAttribute")(memAlloc, "cuMemAlloc_v2")(memFree, "cuMemFree_v2");
  find(memsetD32Async, "cuMemsetD32Async")(memAllocAsync, "cuMemAllocAsync")(memFreeAsync, "cuMemFreeAsync");
  find(eventCreate, "cuEventCreate")(eventDestroy, "cuEventDestroy_v2")(eventRecord, "cuEventRecord");
  find.optional(tensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  find.optional(tensorMapEncodeIm2col, "cuTensorMapEncodeIm2col");
  find(eventSynchronize, "cuEventSynchronize")(eventElapsedTime, "cuEventElapsedTime");
  find.optional(hostMalloc, "cuMemHostAlloc");
  find.optional(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  find.optional(streamCreate, "cuStreamCreate");
  find.optional(streamDestroy, "cuStreamDestroy_v2");
  find.optional(streamSynchronize, "cuStreamSynchronize");
  find.optional(streamWaitEvent, "cuStreamWaitEvent");
  find.optional(streamIsCapturing, "cuStreamIsCapturing");
  find.optional(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  find.optional(moduleGetGlobal, "cuModuleGetGlobal_v2");
}

std::string Driver::describe(Result result) const {
  const char *text = nullptr, *name = nullptr;
  getErrorString(result, &text);
  getErrorName(result, &name);
  return std::string(text ? text : "unknown error") + " (" + (name ? name : "CUresult " + std::to_string(result)) + ")";
}

const Driver *Driver::get(std::string *whyNot) {
  static const std::string names[] = {"libcuda.so.1"};
  static const auto loaded = [] {
    if (!initCrashes())
      return loadDriver<Driver>(SharedLibrary::openFirst(names), "the CUDA driver", names[0]);
    LoadedDriver<Driver> none;
    none.whyNot = "the CUDA driver cannot start in this process, whose parent process found no GPU before the fork";
    return none;
  }();
  return loaded.get(whyNot);
}

} // namespace hocket::cuda
