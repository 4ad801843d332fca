//===- Driver.h - The HIP runtime's functions, found at run time ------------------===//
//
// Declared here from the documented HIP runtime API (rocm.docs.amd.com/projects/HIP), as far as ROCm 5, 6 and 7 agree.
// Members have the names of those of cuda/Driver.h wherever the functions do the same.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_HIP_DRIVER_H
#define HOCKET_THIRD_PARTY_HIP_DRIVER_H

#include "third_party/SharedLibrary.h"
#include <cstddef>
#include <cstdint>

namespace hocket {
class SymbolFinder;
}

namespace hocket::hip {

using Result = int; // hipError_t; 0 is success
using DeviceId = int;
using DevicePointer = void *;
using Module = struct ihipModule_t *;
using Function = struct ihipModuleSymbol_t *;
using Stream = struct ihipStream_t *;
using Event = struct ihipEvent_t *;

// The values of hipError_t that Hocket distinguishes.
inline constexpr Result kSuccess = 0, kNoDevice = 100, kInvalidDevice = 101, kLaunchOutOfResources = 701;

/// hipDeviceAttribute_t: the values since ROCm 5.
enum class DeviceAttribute : int {
  MultiprocessorCount = 63,
  MaxSharedMemoryPerBlock = 74,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  LocalSizeBytes = 3,
  NumRegs = 4,
};

/// Argument of hipPointerGetAttribute: the ordinal of the device that a pointer belongs to.
inline constexpr int kPointerAttributeDeviceOrdinal = 9;

/// Flags of hipHostMalloc: accessible by all devices, and coherent (a kernel's writes are not kept in its device's
/// cache).
inline constexpr unsigned kHostMallocCoherent = 0x1 | 0x40000000;

struct Driver {
  SharedLibrary library;
  int gpuCount = 0;

  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  const char *(*getErrorName)(Result);
  const char *(*getErrorString)(Result);
  /// Returns and clears the calling thread's last error.
  Result (*getLastError)();
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceId *, int ordinal);
  Result (*deviceGetName)(char *name, int size, DeviceId);
  Result (*deviceGetAttribute)(int *value, DeviceAttribute, DeviceId);
  Result (*deviceTotalMem)(size_t *bytes, DeviceId);
  Result (*getDevice)(int *ordinal);
  Result (*setDevice)(int ordinal);
  Result (*synchronize)();
  Result (*moduleLoadData)(Module *, const void *image);
  Result (*moduleUnload)(Module);
  Result (*moduleGetFunction)(Function *, Module, const char *name);
  Result (*funcGetAttribute)(int *value, FunctionAttribute, Function);
  Result (*launchKernel)(Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                         unsigned blockZ, unsigned sharedBytes, Stream, void **parameters, void **extra);
  /// Null in some versions, such as ROCm 5.2.
  Result (*launchCooperativeKernel)(Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                    unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream, void **parameters);
  Result (*occupancyMaxActiveBlocks)(int *blocks, Function, int threads, size_t dynamicSharedBytes);
  Result (*pointerGetAttribute)(void *value, int attribute, DevicePointer);
  Result (*memAlloc)(DevicePointer *, size_t bytes);
  Result (*memFree)(DevicePointer);
  Result (*memAllocAsync)(DevicePointer *, size_t bytes, Stream);
  Result (*memFreeAsync)(DevicePointer, Stream);
  /// Allocates pinned host memory, with flags at the same address on each device. May be null.
  Result (*hostMalloc)(void **, size_t bytes, unsigned flags);
  /// Queues a host function. May be null.
  Result (*launchHostFunction)(Stream, void (*function)(void *), void *argument);
  /// Sets `status` to 0 if the stream is not captured. May be null.
  Result (*streamIsCapturing)(Stream, int *status);
  Result (*memsetD32Async)(DevicePointer, int value, size_t count, Stream);
  Result (*eventCreate)(Event *, unsigned flags);
  Result (*eventDestroy)(Event);
  Result (*eventRecord)(Event, Stream);
  Result (*eventSynchronize)(Event);
  Result (*eventElapsedTime)(float *milliseconds, Event start, Event end);
  // Functions for profiles only. May be null.
  Result (*memcpyDtoHAsync)(void *, DevicePointer, size_t bytes, Stream);
  Result (*streamCreate)(Stream *, unsigned flags);
  Result (*streamDestroy)(Stream);
  Result (*streamSynchronize)(Stream);
  Result (*streamWaitEvent)(Stream, Event, unsigned flags);
  Result (*memcpyDtoDAsync)(DevicePointer to, DevicePointer from, size_t bytes, Stream);
  Result (*moduleGetGlobal)(DevicePointer *, size_t *bytes, Module, const char *name);

  /// Returns the process's initialized HIP runtime; null if the machine has no runtime or no GPU, with one sentence on
  /// the reason in `whyNot` (if given).
  static const Driver *get(std::string *whyNot = nullptr);

  void findFunctions(SymbolFinder &find);
  /// True for the results of `init` and `deviceGetCount` on a machine without a GPU: ROCm 5's hipInit returns
  /// kInvalidDevice.
  static bool meansNoGpu(Result result) { return result == kNoDevice || result == kInvalidDevice; }
  /// Returns "out of memory (hipErrorOutOfMemory)".
  std::string describe(Result result) const;

  /// Reads the device's architecture with its features, "gfx942:sramecc+:xnack-"; empty if the runtime reports none.
  Result readArchitecture(std::string &architecture, int ordinal) const;

private:
  /// Fills a hipDeviceProp_t, whose layout depends on the version.
  Result (*getDeviceProperties)(void *properties, int ordinal);
};

} // namespace hocket::hip

#endif
