//===- Driver.h - The HIP runtime's functions, found at run time ------------------===//
//
// The declarations follow the documentation of the HIP runtime API (rocm.docs.amd.com/projects/HIP), and are valid for
// ROCm 5, 6 and 7. A function with a counterpart in cuda/Driver.h has the same name as the counterpart.
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

using Result = int; // a hipError_t, which is 0 if the call has succeeded
using DeviceId = int;
using DevicePointer = void *;
using Module = struct ihipModule_t *;
using Function = struct ihipModuleSymbol_t *;
using Stream = struct ihipStream_t *;
using Event = struct ihipEvent_t *;

// The values of hipError_t that Hocket distinguishes.
inline constexpr Result kSuccess = 0, kNoDevice = 100, kInvalidDevice = 101, kLaunchOutOfResources = 701;

/// A hipDeviceAttribute_t, with the values since ROCm 5.
enum class DeviceAttribute : int {
  MultiprocessorCount = 63,
  MaxSharedMemoryPerBlock = 74,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  LocalSizeBytes = 3,
  NumRegs = 4,
};

/// With this attribute, hipPointerGetAttribute returns the ordinal of the device to which a pointer belongs.
inline constexpr int kPointerAttributeDeviceOrdinal = 9;

/// Flags of hipHostMalloc for memory that all devices can access, and that is coherent: the writes of a kernel do not
/// stay in the cache of its device.
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
  /// The function pointer is null in some versions of HIP, such as ROCm 5.2.
  Result (*launchCooperativeKernel)(Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                    unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream, void **parameters);
  Result (*occupancyMaxActiveBlocks)(int *blocks, Function, int threads, size_t dynamicSharedBytes);
  Result (*pointerGetAttribute)(void *value, int attribute, DevicePointer);
  Result (*memAlloc)(DevicePointer *, size_t bytes);
  Result (*memFree)(DevicePointer);
  Result (*memAllocAsync)(DevicePointer *, size_t bytes, Stream);
  Result (*memFreeAsync)(DevicePointer, Stream);
  /// Allocates pinned host memory. With kHostMallocCoherent, the memory has the same address on each device. The
  /// function pointer can be null.
  Result (*hostMalloc)(void **, size_t bytes, unsigned flags);
  /// Queues a host function on the stream. The function pointer can be null.
  Result (*launchHostFunction)(Stream, void (*function)(void *), void *argument);
  /// Sets `status` to 0 if the stream is not being captured into a graph. The function pointer can be null.
  Result (*streamIsCapturing)(Stream, int *status);
  Result (*memsetD32Async)(DevicePointer, int value, size_t count, Stream);
  Result (*eventCreate)(Event *, unsigned flags);
  Result (*eventDestroy)(Event);
  Result (*eventRecord)(Event, Stream);
  Result (*eventSynchronize)(Event);
  Result (*eventElapsedTime)(float *milliseconds, Event start, Event end);
  // The following functions are used only by the profiler, and can be null.
  Result (*memcpyDtoHAsync)(void *, DevicePointer, size_t bytes, Stream);
  Result (*streamCreate)(Stream *, unsigned flags);
  Result (*streamDestroy)(Stream);
  Result (*streamSynchronize)(Stream);
  Result (*streamWaitEvent)(Stream, Event, unsigned flags);
  Result (*memcpyDtoDAsync)(DevicePointer to, DevicePointer from, size_t bytes, Stream);
  Result (*moduleGetGlobal)(DevicePointer *, size_t *bytes, Module, const char *name);

  /// Returns the HIP runtime, which the first call initializes. If the machine has no HIP runtime or no GPU, returns
  /// null, and sets `whyNot`, unless it is null, to a sentence that gives the reason.
  static const Driver *get(std::string *whyNot = nullptr);

  void findFunctions(SymbolFinder &find);
  /// True if `result`, a result of `init` or `deviceGetCount`, means that the machine has no GPU. In ROCm 5, hipInit
  /// returns kInvalidDevice in this case.
  static bool meansNoGpu(Result result) { return result == kNoDevice || result == kInvalidDevice; }
  /// Returns the description and name of `result`, such as "out of memory (hipErrorOutOfMemory)".
  std::string describe(Result result) const;

  /// Sets `architecture` to the name and features of the device's architecture, such as "gfx942:sramecc+:xnack-".
  /// `architecture` is empty if the HIP runtime reports no architecture.
  Result readArchitecture(std::string &architecture, int ordinal) const;

private:
  /// Fills `properties`, a hipDeviceProp_t, whose layout depends on the version of ROCm.
  Result (*getDeviceProperties)(void *properties, int ordinal);
};

} // namespace hocket::hip

#endif
