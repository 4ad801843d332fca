//===- CudaApi.h - The CUDA Api of driver/ -----------------------------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDAAPI_H
#define HOCKET_RUNTIME_CUDA_CUDAAPI_H

#include "runtime/Device.h"
#include "runtime/KernelFacts.h"
#include "runtime/cuda/CudaContext.h"

namespace hocket::cuda {

/// Counterpart of hip/MessageQueue.h. CUDA kernels call the driver's vprintf and __assertfail, so they never have
/// messages.
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
  /// Object that must be current for a call.
  using CallContext = Context;
  using Scope = ScopedContext;
  /// Scope in which this thread makes calls that are unrelated to captured streams: it loads modules, which the driver
  /// may defer partly, and allocates and reads its own memory.
  using LoadScope = AllowedInCapture;
  using Messages = NoMessages;

  static constexpr const char *kName = "cuda";
  static constexpr Result kSuccess = cuda::kSuccess;

  static void check(Result result, const char *doing) { cuda::check(result, doing); }
  [[noreturn]] static void throwResult(Result result, const std::string &doing) { cuda::throwResult(result, doing); }

  /// Throws LaunchError for GPUs that Hocket has no code for.
  static DeviceInfo readFacts(const Driver &driver, int ordinal);
  /// Returns the primary context, which PyTorch and CuPy use too, retained until the process ends.
  static Context openCallContext(const Driver &driver, int ordinal);
  static int currentDevice(const Driver &driver);
  static int deviceOf(const Driver &driver, void *address);

  /// `code` is a cubin, or PTX for the driver to compile.
  static Module loadModule(const Driver &driver, const std::string &kernel, const std::string &code);
  static constexpr bool kModuleReadsCodeLater = false;
  /// Hocket's kernels declare no static shared memory.
  static int dynamicSharedBytes(const KernelImage &image) { return image.facts.sharedBytes; }
  static void prepare(const Driver &driver, const KernelFacts &facts, Function function, int dynamicSharedBytes);
  /// Launches a kernel with a cooperative grid, programmatic dependent launch or clusters. `grid` counts clusters if
  /// there are any.
  static Result launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function,
                                  const GridSize &grid, int dynamicSharedBytes, Stream stream, void **parameters);
  /// Returns the number of clusters that fit on the device at once. A cluster stays within a GPC, and the number of SMs
  /// per GPC differs from chip to chip.
  static int64_t clustersAtOnce(const Driver &driver, const KernelFacts &facts, Function function,
                                int dynamicSharedBytes);
  static EncodedTensorMap encode(const Driver &driver, const DeviceInfo &device, const TensorMap &map);
  static void checkGrid(const GridSize &, int threads, const std::string &kernel) {} // kMaxGrid is CUDA's limit

  /// Calls `body` with `context` current, unless the driver has shut down.
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
