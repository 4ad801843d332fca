//===- RecordsVariable.h - Profiler records in a variable of the module ------------===//
//
// A launch queues these steps on its stream:
//
//   1. wait for the preceding launch, if it was on another stream
//   2. run the kernel, which writes records to the variable
//   3. copy the variable to the memory of the launch, if a profiling session is active
//   4. set the variable to 0.
//
// The host does not wait. Launches that share the variable run one after the other.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_RECORDSVARIABLE_H
#define HOCKET_RUNTIME_DRIVER_RECORDSVARIABLE_H

#include "runtime/KernelFacts.h"
#include "runtime/LaunchError.h"
#include "runtime/driver/DriverTiming.h"

#include <mutex>

namespace hocket::driver {

template <typename Api>
class RecordsVariable {
public:
  /// Finds the variable `facts.recordsVariable` in a module that was loaded into the current device or context. Throws
  /// LaunchError.
  RecordsVariable(const typename Api::Driver &driver, typename Api::Module module, const KernelFacts &facts)
      : driver(driver), facts(facts) {
    if (!driver.moduleGetGlobal || !driver.memcpyDtoDAsync || !driver.streamWaitEvent)
      throw LaunchError("this driver has no functions to read a kernel's static variable");
    const std::string doing = "finding the variable '" + facts.recordsVariable + "'";
    Api::check(driver.moduleGetGlobal(&address, &bytes, module, facts.recordsVariable.c_str()), doing.c_str());
    Api::check(driver.eventCreate(&drained, kEventHasNoTiming), "making an event");
  }
  /// The device or context of the module must be current.
  ~RecordsVariable() { driver.eventDestroy(drained); }
  RecordsVariable(const RecordsVariable &) = delete;

  /// Scope of one launch. While a Launch object exists, no other thread can queue a launch of this kernel.
  class Launch {
  public:
    Launch(RecordsVariable &variable, const GridSize &grid, typename Api::Stream stream, uint64_t to)
        : variable(variable), lock(variable.mutex), stream(stream), to(to), count(variable.facts.recordBytesOf(grid)) {
      int isCaptured = 0;
      if (variable.driver.streamIsCapturing)
        Api::check(variable.driver.streamIsCapturing(stream, &isCaptured), "querying whether the stream is captured");
      if (isCaptured)
        throw LaunchError("kernel '" + variable.facts.name +
                          "' records into a variable that all its launches share, so "
                          "it cannot be captured into a graph\n  hint: profile with buffer=\"device\"");
      if (variable.isUsed && variable.lastStream != stream)
        Api::check(variable.driver.streamWaitEvent(stream, variable.drained, 0), "waiting for the previous launch");
    }
    /// Queues a copy of the variable to the memory of the launch, and then a memset of the variable to zero. Must be
    /// called after the kernel has been queued.
    void started() {
      const auto &driver = variable.driver;
      if (to)
        Api::check(driver.memcpyDtoDAsync(addressOf(to), variable.address, count, stream), "copying the records");
      Api::check(driver.memsetD32Async(variable.address, 0, variable.bytes / sizeof(uint32_t), stream),
                 "clearing the records");
      Api::check(driver.eventRecord(variable.drained, stream), "recording an event");
      variable.lastStream = stream;
      variable.isUsed = true;
    }

  private:
    static typename Api::DevicePointer addressOf(uint64_t to) { return typename Api::DevicePointer(to); }

    RecordsVariable &variable;
    std::lock_guard<std::mutex> lock;
    typename Api::Stream stream;
    uint64_t to;
    size_t count; ///< size in bytes of the launch's records
  };

private:
  const typename Api::Driver &driver;
  const KernelFacts &facts;
  typename Api::DevicePointer address{};
  size_t bytes = 0;
  std::mutex mutex;
  typename Api::Event drained = nullptr;
  typename Api::Stream lastStream = nullptr;
  bool isUsed = false;
};

} // namespace hocket::driver

#endif
