//===- HipApi.h - HIP as the Api of the templates in driver/ -----------------------===//
#ifndef HOCKET_RUNTIME_HIP_HIPAPI_H
#define HOCKET_RUNTIME_HIP_HIPAPI_H

#include "runtime/Device.h"
#include "runtime/hip/CheckResult.h"
#include "runtime/hip/MessageQueue.h"

namespace hocket::hip {

/// Makes the device `ordinal` current in this thread; the destructor restores the previous device.
class ScopedDevice {
public:
  ScopedDevice(const Driver &driver, int ordinal) : driver(driver) {
    int current = 0;
    check(driver.getDevice(&current), "querying the current GPU");
    if (current == ordinal) [[likely]]
      return;
    check(driver.setDevice(ordinal), "selecting the GPU");
    previous = current;
  }
  ~ScopedDevice() {
    if (previous != kNone) [[unlikely]]
      driver.setDevice(previous);
  }
  ScopedDevice(const ScopedDevice &) = delete;

private:
  static constexpr int kNone = -1;
  const Driver &driver;
  int previous = kNone;
};

struct Api {
  using Driver = hip::Driver;
  using Module = hip::Module;
  using Function = hip::Function;
  using FunctionAttribute = hip::FunctionAttribute;
  using Stream = hip::Stream;
  using Event = hip::Event;
  using DevicePointer = hip::DevicePointer;
  /// Ordinal of the device that must be current in the calling thread.
  using CallContext = int;
  using Scope = ScopedDevice;
  struct LoadScope {
    explicit LoadScope(const Driver &) {}
  };
  using Messages = MessageQueue;

  static constexpr const char *kName = "hip";
  static constexpr Result kSuccess = hip::kSuccess;

  static void check(Result result, const char *doing) { hip::check(result, doing); }
  [[noreturn]] static void throwResult(Result result, const std::string &doing) { hip::throwResult(result, doing); }

  /// Reads the properties of a GPU. Throws LaunchError for GPUs that Hocket does not support.
  static DeviceInfo readFacts(const Driver &driver, int ordinal);
  static int openCallContext(const Driver &, int ordinal) { return ordinal; }
  static int currentDevice(const Driver &driver);
  static int deviceOf(const Driver &driver, void *address);

  /// Loads `code`, a code object (hsaco).
  static Module loadModule(const Driver &driver, const std::string &kernel, const std::string &code);
  /// True because HIP does not copy the code: debuggers and profilers read the original code while the module is
  /// loaded.
  static constexpr bool kModuleReadsCodeLater = true;
  /// Returns 0, because a code object declares all of the kernel's LDS statically. HIP would add the dynamic size of a
  /// launch to the static size.
  static int dynamicSharedBytes(const KernelImage &) { return 0; }
  static void prepare(const Driver &, const KernelFacts &, Function, int dynamicSharedBytes) {}
  /// Launches a kernel with a cooperative grid. HIP has no programmatic dependent launch.
  static Result launchWithOptions(const Driver &driver, const KernelFacts &facts, Function function,
                                  const GridSize &grid, int dynamicSharedBytes, Stream stream, void **parameters);
  /// Returns 0, because AMD GPUs have no clusters.
  static int64_t clustersAtOnce(const Driver &, const KernelFacts &, Function, int dynamicSharedBytes) { return 0; }
  [[noreturn]] static EncodedTensorMap encode(const Driver &, const DeviceInfo &device, const TensorMap &);
  /// Throws LaunchError if `grid` has more threads along x than HIP can launch.
  static void checkGrid(const GridSize &grid, int threads, const std::string &kernel);

  /// Calls `body` while the device is current, or does nothing if HIP has shut down.
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
