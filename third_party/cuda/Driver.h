//===- Driver.h - The CUDA driver's functions, found at run time ------------------===//
//
// The declarations follow the documentation of the driver API (docs.nvidia.com/cuda/cuda-driver-api). Because of these
// declarations, Hocket can be built without CUDA, and imported on machines without a GPU.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_CUDA_DRIVER_H
#define HOCKET_THIRD_PARTY_CUDA_DRIVER_H

#include "third_party/SharedLibrary.h"
#include <cstddef>
#include <cstdint>

namespace hocket {
class SymbolFinder;
}

namespace hocket::cuda {

using Result = int; // a CUresult, which is 0 if the call has succeeded
using DeviceId = int;
using DevicePointer = uint64_t;
using Context = struct CUctx_st *;
using Module = struct CUmod_st *;
using Function = struct CUfunc_st *;
using Stream = struct CUstream_st *;
using Event = struct CUevent_st *;

// The values of CUresult that Hocket distinguishes.
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidPtx = 218,
                        kUnsupportedPtxVersion = 222, kNoBinaryForGpu = 209, kInvalidImage = 200,
                        kLaunchOutOfResources = 701;

/// A CUlaunchAttribute. `id` determines which member of the union is used.
struct LaunchAttribute {
  enum class Id : int { Cooperative = 2, ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };
  Id id;
  char padding[8 - sizeof(Id)];
  union {
    int value;
    unsigned cluster[3]; ///< number of blocks of a cluster along x, y and z
    char bytes[64];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// A CUstreamCaptureMode, which selects the driver calls that a thread may make while a stream is captured into a
/// graph.
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };

enum class DeviceAttribute : int {
  MultiprocessorCount = 16,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedSizeBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int { ErrorLogBuffer = 5, ErrorLogBufferSizeBytes = 6, GenerateLineInfo = 13 };

enum class TensorMapInterleave : int { None = 0 };
enum class TensorMapSwizzle : int { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };
enum class TensorMapPromotion : int { None = 0, L2Bytes128 = 2 };
enum class TensorMapFill : int { Zeros = 0, Nan = 1 };

/// With this attribute, cuPointerGetAttribute returns the ordinal of the device to which a pointer belongs.
inline constexpr int kPointerAttributeDeviceOrdinal = 9;

struct Driver {
  SharedLibrary library;
  int gpuCount = 0;

  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  Result (*getErrorName)(Result, const char **name);
  Result (*getErrorString)(Result, const char **text);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceId *, int ordinal);
  Result (*deviceGetName)(char *name, int size, DeviceId);
  Result (*deviceGetAttribute)(int *value, DeviceAttribute, DeviceId);
  Result (*deviceTotalMem)(size_t *bytes, DeviceId);
  Result (*devicePrimaryCtxRetain)(Context *, DeviceId);
  Result (*ctxGetCurrent)(Context *);
  Result (*ctxSetCurrent)(Context);
  Result (*ctxGetDevice)(DeviceId *);
  Result (*synchronize)();
  Result (*moduleLoadDataEx)(Module *, const void *image, unsigned optionCount, JitOption *options, void **values);
  Result (*moduleUnload)(Module);
  Result (*moduleGetFunction)(Function *, Module, const char *name);
  Result (*funcGetAttribute)(int *value, FunctionAttribute, Function);
  Result (*funcSetAttribute)(Function, FunctionAttribute, int value);
  Result (*launchKernel)(Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                         unsigned blockZ, unsigned sharedBytes, Stream, void **parameters, void **extra);
  /// The function pointer is null in drivers before CUDA 11.8.
  Result (*launchKernelEx)(const LaunchConfig *, Function, void **parameters, void **extra);
  Result (*occupancyMaxActiveBlocks)(int *blocks, Function, int threads, size_t dynamicSharedBytes);
  /// Sets `clusters` to the number of clusters that fit on the whole device at once. The function pointer is null in
  /// drivers before CUDA 11.8.
  Result (*occupancyMaxActiveClusters)(int *clusters, Function, const LaunchConfig *);
  /// Exchanges the value of the argument and the capture mode of the calling thread.
  Result (*threadExchangeStreamCaptureMode)(CaptureMode *);
  Result (*pointerGetAttribute)(void *value, int attribute, DevicePointer);
  Result (*memAlloc)(DevicePointer *, size_t bytes);
  Result (*memFree)(DevicePointer);
  Result (*memAllocAsync)(DevicePointer *, size_t bytes, Stream);
  Result (*memFreeAsync)(DevicePointer, Stream);
  Result (*memsetD32Async)(DevicePointer, unsigned value, size_t count, Stream);
  Result (*eventCreate)(Event *, unsigned flags);
  Result (*eventDestroy)(Event);
  Result (*eventRecord)(Event, Stream);
  Result (*eventSynchronize)(Event);
  Result (*eventElapsedTime)(float *milliseconds, Event start, Event end);
  // The following functions are used only by the profiler, and can be null.
  /// Allocates pinned host memory.
  Result (*hostMalloc)(void **, size_t bytes, unsigned flags);
  Result (*memcpyDtoHAsync)(void *, DevicePointer, size_t bytes, Stream);
  Result (*streamCreate)(Stream *, unsigned flags);
  Result (*streamDestroy)(Stream);
  Result (*streamSynchronize)(Stream);
  Result (*streamWaitEvent)(Stream, Event, unsigned flags);
  Result (*memcpyDtoDAsync)(DevicePointer to, DevicePointer from, size_t bytes, Stream);
  Result (*moduleGetGlobal)(DevicePointer *, size_t *bytes, Module, const char *name);
  /// Sets `status` to 0 if the stream is not being captured into a graph.
  Result (*streamIsCapturing)(Stream, int *status);

  /// The function pointer is null in drivers before CUDA 12. `dataType` is a CUtensorMapDataType.
  Result (*tensorMapEncodeTiled)(void *map, int dataType, uint32_t rank, void *address, const uint64_t *sizes,
                                 const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides,
                                 TensorMapInterleave, TensorMapSwizzle, TensorMapPromotion, TensorMapFill);
  /// The function pointer is null in drivers before CUDA 12. `lowerCorner` and `upperCorner` have rank - 2 entries.
  Result (*tensorMapEncodeIm2col)(void *map, int dataType, uint32_t rank, void *address, const uint64_t *sizes,
                                  const uint64_t *strides, const int *lowerCorner, const int *upperCorner,
                                  uint32_t channelsPerPixel, uint32_t pixelsPerColumn, const uint32_t *elementStrides,
                                  TensorMapInterleave, TensorMapSwizzle, TensorMapPromotion, TensorMapFill);

  /// Returns the driver, which the first call initializes. If the machine has no driver or no GPU, returns null, and
  /// sets `whyNot`, unless it is null, to a sentence that gives the reason.
  static const Driver *get(std::string *whyNot = nullptr);

  void findFunctions(SymbolFinder &find);
  /// True if `result`, a result of `init` or `deviceGetCount`, means that the machine has no GPU.
  static bool meansNoGpu(Result result) { return result == kNoDevice; }
  /// Returns the description and name of `result`, such as "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(Result result) const;
};

} // namespace hocket::cuda

#endif
