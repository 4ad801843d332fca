//===- CudaApi.h - What driver/ asks of CUDA ---------------------------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CUDAAPI_H
#define HOCKET_RUNTIME_CUDA_CUDAAPI_H

#include "runtime/Device.h"
#include "runtime/cuda/CudaContext.h"
#include "runtime/driver/NoMessages.h"

namespace hocket::cuda {

struct Api {
  using Driver = cuda::Driver;
  using Module = cuda::Module;
  using Function = cuda::Function;
  using FunctionAttribute = cuda::FunctionAttribute;
  using Stream = cuda::Stream;
  using Event = cuda::Event;
  using DevicePointer = cuda::DevicePointer;
  /// Where a call takes effect.
  using Place = Context;
  using Scope = ScopedContext;
  /// While this thread does what concerns no stream that is captured: loads modules, of which the driver may leave some
  /// work for later; makes memory of its own, and reads it.
  using LoadScope = AllowedInCapture;
  using Messages = driver::NoMessages<Driver, Stream>;

  static constexpr const char *kName = "cuda";
  static constexpr Result kSuccess = cuda::kSuccess;

  static void check(Result result, const char *doing) { cuda::check(result, doing); }
  [[noreturn]] static void throwResult(Result result, const std::string &doing) { cuda::throwResult(result, doing); }

  /// Throws LaunchError for GPUs that we have no code for.
  static DeviceInfo readFacts(const Driver &driver, int ordinal);
  /// The primary context, which PyTorch and CuPy use too, retained for the process's life.
  static Context openPlace(const Driver &driver, int ordinal);
  static int currentDevice(const Driver &driver);
  static int deviceOf(const Driver &driver, void *address);

  /// `code` is a cubin, or PTX for the driver to compile.
  static Module loadModule(const Driver &driver, const std::string &kernel, const std::string &code);
  static constexpr bool kModuleReadsCodeLater = false;
  /// Our kernels declare no size of their own.
  static int dynamicSharedBytes(const KernelImage &image) { return image.facts.sharedBytes; }
  static void prepare(const Driver &driver, const KernelFacts &facts, Function function, int dynamicSharedBytes);
  /// Launches a kernel that asks for a cooperative grid, a programmatic launch or clusters. `grid` counts these.
  static Result launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function,
                                  const GridSize &grid, int dynamicSharedBytes, Stream stream, void **parameters);
  /// How many clusters the device has room for: a cluster stays within a group of multiprocessors, and how many of
  /// these belong to one differs from chip to chip.
  static int64_t clustersAtOnce(const Driver &driver, const KernelFacts &facts, Function function,
                                int dynamicSharedBytes);
  static EncodedTensorMap encode(const Driver &driver, const DeviceInfo &device, const TensorMap &map);
  static void checkGrid(const GridSize &, int threads, const std::string &kernel) {} // kMaxGrid is CUDA's limit

  /// Calls `body` with `context` current, unless the driver no longer answers.
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
