//===- HipApi.h - What driver/ asks of HIP -----------------------------------------===//
#ifndef HOCKET_RUNTIME_HIP_HIPAPI_H
#define HOCKET_RUNTIME_HIP_HIPAPI_H

#include "runtime/Device.h"
#include "runtime/hip/HipContext.h"
#include "runtime/hip/MessageQueue.h"

namespace hocket::hip {

struct Api {
  using Driver = hip::Driver;
  using Module = hip::Module;
  using Function = hip::Function;
  using FunctionAttribute = hip::FunctionAttribute;
  using Stream = hip::Stream;
  using Event = hip::Event;
  using DevicePointer = hip::DevicePointer;
  /// Where a call takes effect: the device's ordinal.
  using Place = int;
  using Scope = ScopedDevice;
  struct LoadScope {
    explicit LoadScope(const Driver &) {}
  };
  using Messages = MessageQueue;

  static constexpr const char *kName = "hip";
  static constexpr Result kSuccess = hip::kSuccess;

  static void check(Result result, const char *doing) { hip::check(result, doing); }
  [[noreturn]] static void throwResult(Result result, const std::string &doing) { hip::throwResult(result, doing); }

  /// Throws LaunchError for GPUs that we have no code for.
  static DeviceInfo readFacts(const Driver &driver, int ordinal);
  static int openPlace(const Driver &, int ordinal) { return ordinal; }
  static int currentDevice(const Driver &driver);
  static int deviceOf(const Driver &driver, void *address);

  /// `code` is a code object (hsaco).
  static Module loadModule(const Driver &driver, const std::string &kernel, const std::string &code);
  /// HIP makes no copy; debuggers and profilers read what a module was loaded from as long as it is.
  static constexpr bool kModuleReadsCodeLater = true;
  /// None: a code object declares its whole LDS, and what a launch adds comes on top of that.
  static int dynamicSharedBytes(const KernelImage &) { return 0; }
  static void prepare(const Driver &, const KernelFacts &, Function, int dynamicSharedBytes) {}
  /// Launches a kernel that asks for a cooperative grid. HIP has no programmatic launches.
  static Result launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function,
                                  const GridSize &grid, int dynamicSharedBytes, Stream stream, void **parameters);
  /// There are no clusters.
  static int64_t clustersAtOnce(const Driver &, const KernelFacts &, Function, int dynamicSharedBytes) { return 0; }
  [[noreturn]] static EncodedTensorMap encode(const Driver &, const DeviceInfo &device, const TensorMap &);
  /// Throws LaunchError for grids that HIP cannot queue.
  static void checkGrid(const GridSize &grid, int threads, const std::string &kernel);

  /// Calls `body` with the device current, unless HIP no longer answers.
  template <typename F>
  static void tryInside(const Driver &driver, int ordinal, F &&body) {
    int previous = 0;
    if (driver.getDevice(&previous) != kSuccess || driver.setDevice(ordinal) != kSuccess)
      return;
    body();
    driver.setDevice(previous);
  }
};

} // namespace hocket::hip

#endif
