//===- CudaApi.h - CUDA as the Api of the templates in driver/ ---------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDAAPI_H
#define HOCKET_RUNTIME_CUDA_CUDAAPI_H

#include "runtime/Device.h"
#include "runtime/KernelFacts.h"
#include "runtime/cuda/CudaContext.h"

namespace hocket::cuda {

/// Message queue without messages, with the interface of hip::MessageQueue. CUDA kernels call vprintf and __assertfail,
/// which the driver implements, so no host memory for messages is needed.
class NoMessages {
public:
  explicit NoMessages(const Driver &) {}
  void raiseFailure() {}

  class Launch {
  public:
    Launch(NoMessages &, const KernelFacts &, Stream) {}
    void *address() const { return nullptr; }
    void started() {}
  };
};

struct Api {
  using Driver = cuda::Driver;
  using Module = cuda::Module;
  using Function = cuda::Function;
  using FunctionAttribute = cuda::FunctionAttribute;
  using Stream = cuda::Stream;
  using Event = cuda::Event;
  using DevicePointer = cuda::DevicePointer;
  /// The object that must be current in the calling thread: a CUDA context.
  using CallContext = Context;
  using Scope = ScopedContext;
  /// Scope in which calls are allowed that CUDA otherwise rejects while a stream is captured into a graph. Within this
  /// scope, the runtime loads modules, and allocates and reads its own memory. None of these calls uses the captured
  /// stream.
  using LoadScope = AllowedInCapture;
  using Messages = NoMessages;

  static constexpr const char *kName = "cuda";
  static constexpr Result kSuccess = cuda::kSuccess;

  static void check(Result result, const char *doing) { cuda::check(result, doing); }
  [[noreturn]] static void throwResult(Result result, const std::string &doing) { cuda::throwResult(result, doing); }

  /// Reads the properties of a GPU. Throws LaunchError for GPUs that Hocket does not support.
  static DeviceInfo readFacts(const Driver &driver, int ordinal);
  /// Returns the primary context, which PyTorch and CuPy also use, and retains it until the process ends.
  static Context openCallContext(const Driver &driver, int ordinal);
  static int currentDevice(const Driver &driver);
  static int deviceOf(const Driver &driver, void *address);

  /// Loads `code`, which is a cubin or PTX for the driver to compile.
  static Module loadModule(const Driver &driver, const std::string &kernel, const std::string &code);
  static constexpr bool kModuleReadsCodeLater = false;
  /// Returns the size in bytes of the kernel's shared memory. The size is completely dynamic, because Hocket's kernels
  /// declare no static shared memory.
  static int dynamicSharedBytes(const KernelImage &image) { return image.facts.sharedBytes; }
  static void prepare(const Driver &driver, const KernelFacts &facts, Function function, int dynamicSharedBytes);
  /// Launches a kernel with a cooperative grid, programmatic dependent launch or clusters. `grid` counts clusters if
  /// the kernel has clusters, else blocks.
  static Result launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function,
                                  const GridSize &grid, int dynamicSharedBytes, Stream stream, void **parameters);
  /// Returns the number of clusters that fit on the device at once. A cluster stays within a GPC, and the number of SMs
  /// per GPC differs from chip to chip.
  static int64_t clustersAtOnce(const Driver &driver, const KernelFacts &facts, Function function,
                                int dynamicSharedBytes);
  static EncodedTensorMap encode(const Driver &driver, const DeviceInfo &device, const TensorMap &map);
  static void checkGrid(const GridSize &, int threads, const std::string &kernel) {} // no CUDA limit is below kMaxGrid

  /// Calls `body` while `context` is current, or does nothing if the driver has shut down.
  template <typename F>
  static void tryInside(const Driver &driver, Context context, F &&body) {
    Context previous = nullptr;
    if (driver.ctxGetCurrent(&previous) != kSuccess || driver.ctxSetCurrent(context) != kSuccess)
      return;
    body();
    driver.ctxSetCurrent(previous);
  }
};

} // namespace hocket::cuda

#endif
