//===- DriverTiming.h - Events and cache flushes through a vendor's driver ---------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERTIMING_H
#define HOCKET_RUNTIME_DRIVER_DRIVERTIMING_H

#include "runtime/Device.h"

namespace hocket::driver {

/// Flags of eventCreate, which have the same values in CUDA and HIP. An event with kEventHasNoTiming records no time. A
/// thread that waits for an event with kEventWaitsSleep sleeps instead of polling.
inline constexpr unsigned kEventHasNoTiming = 2, kEventWaitsSleep = 1;

template <typename Api>
class DriverEvent final : public DeviceEvent {
public:
  DriverEvent(const typename Api::Driver &driver, typename Api::CallContext callContext)
      : driver(driver), callContext(callContext) {
    typename Api::Scope current(driver, callContext);
    Api::check(driver.eventCreate(&event, /*flags=*/0), "making an event");
  }
  ~DriverEvent() override { driver.eventDestroy(event); }

  void record(void *stream) override {
    typename Api::Scope current(driver, callContext);
    Api::check(driver.eventRecord(event, static_cast<typename Api::Stream>(stream)), "recording an event");
  }
  void synchronize() override { Api::check(driver.eventSynchronize(event), "waiting for an event"); }

  float millisecondsSince(const DeviceEvent &start) const override {
    float milliseconds = 0;
    Api::check(driver.eventElapsedTime(&milliseconds, static_cast<const DriverEvent &>(start).event, event),
               "reading the time between events");
    return milliseconds;
  }

private:
  const typename Api::Driver &driver;
  typename Api::CallContext callContext;
  typename Api::Event event = nullptr;
};

// Number of bytes that a cache flush fills: at least twice the largest cache, which is 256 MB on CDNA3 and CDNA4, 126
// MB on Blackwell and 50 MB on Hopper.
inline constexpr size_t kFlushBytes = size_t(512) << 20;

template <typename Api>
class DriverCacheFlusher final : public CacheFlusher {
public:
  DriverCacheFlusher(const typename Api::Driver &driver, typename Api::CallContext callContext)
      : driver(driver), callContext(callContext) {
    typename Api::Scope current(driver, callContext);
    Api::check(driver.memAlloc(&memory, kFlushBytes), "allocating memory to flush the cache with");
  }
  ~DriverCacheFlusher() override {
    Api::tryInside(driver, callContext, [&] { driver.memFree(memory); });
  }

  void flush(void *stream) override {
    typename Api::Scope current(driver, callContext);
    Api::check(
        driver.memsetD32Async(memory, 0, kFlushBytes / sizeof(uint32_t), static_cast<typename Api::Stream>(stream)),
        "flushing the cache");
  }

private:
  const typename Api::Driver &driver;
  typename Api::CallContext callContext;
  typename Api::DevicePointer memory{};
};

} // namespace hocket::driver

#endif
