//===- DriverPlatform.h - The GPUs of a vendor's driver ----------------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERPLATFORM_H
#define HOCKET_RUNTIME_DRIVER_DRIVERPLATFORM_H

#include "runtime/LaunchError.h"
#include "runtime/driver/DriverKernel.h"
#include "runtime/driver/DriverReadback.h"
#include "runtime/driver/DriverTiming.h"
#include <mutex>
#include <vector>

namespace hocket::driver {

template <typename Api>
class DriverDevice final : public Device {
public:
  /// Opens the GPU `ordinal`. Throws LaunchError for GPUs that Hocket does not support.
  DriverDevice(const typename Api::Driver &driver, int ordinal)
      : driver(driver), facts(Api::readFacts(driver, ordinal)), callContext(Api::openCallContext(driver, ordinal)),
        messages(driver), copies(driver, callContext) {}

  const DeviceInfo &info() const override { return facts; }

  std::unique_ptr<DeviceKernel> load(const KernelImage &image) override {
    return std::make_unique<DriverKernel<Api>>(driver, callContext, facts, messages, image);
  }
  EncodedTensorMap encode(const TensorMap &map) override { return Api::encode(driver, facts, map); }
  void synchronize() override {
    typename Api::Scope current(driver, callContext);
    Api::check(driver.synchronize(), "waiting for the GPU");
    messages.raiseFailure();
  }
  std::unique_ptr<DeviceEvent> makeEvent() override { return std::make_unique<DriverEvent<Api>>(driver, callContext); }
  std::unique_ptr<CacheFlusher> makeCacheFlusher() override {
    return std::make_unique<DriverCacheFlusher<Api>>(driver, callContext);
  }
  std::vector<std::unique_ptr<ReadbackMemory>> makeReadbacks(size_t bytes, size_t count) override {
    auto slab = std::make_shared<ZeroedMemory<Api>>(driver, callContext, copies, bytes * count);
    std::vector<std::unique_ptr<ReadbackMemory>> made;
    for (size_t i = 0; i < count; ++i)
      made.push_back(std::make_unique<DriverReadback<Api>>(slab, i * bytes, bytes));
    return made;
  }
  bool isCapturing(void *stream) override {
    int status = 0;
    typename Api::Scope current(driver, callContext);
    if (driver.streamIsCapturing)
      Api::check(driver.streamIsCapturing(static_cast<typename Api::Stream>(stream), &status),
                 "querying whether the stream is captured");
    return status != 0;
  }

private:
  const typename Api::Driver &driver;
  DeviceInfo facts;
  typename Api::CallContext callContext;
  typename Api::Messages messages;
  CopyStream<Api> copies;
};

/// The devices of one driver. A device is created at its first use and lives as long as the process, because kernels
/// refer to it.
template <typename Api>
class DriverPlatform final : public Platform {
public:
  using Driver = typename Api::Driver;

  const char *name() const override { return Api::kName; }

  int deviceCount() override {
    const Driver *driver = Driver::get();
    return driver ? driver->gpuCount : 0;
  }

  std::string whyNoDevice() override {
    std::string why;
    Driver::get(&why);
    return why;
  }

  int driverVersion() override {
    const Driver *driver = Driver::get();
    int version = 0;
    return driver && driver->driverGetVersion(&version) == Api::kSuccess ? version : 0;
  }

  Device &device(int ordinal) override {
    std::string why;
    const Driver *driver = Driver::get(&why);
    if (!driver)
      throw LaunchError("no GPU to launch on: " + why);
    std::lock_guard lock(mutex);
    if (ordinal < 0 || ordinal >= deviceCount())
      throw LaunchError("there is no GPU " + std::to_string(ordinal));
    if (size_t(ordinal) >= byOrdinal.size())
      byOrdinal.resize(ordinal + 1);
    auto &slot = byOrdinal[ordinal];
    if (!slot)
      slot = std::make_unique<DriverDevice<Api>>(*driver, ordinal);
    return *slot;
  }

  int currentDevice() override {
    const Driver *driver = Driver::get();
    return driver ? Api::currentDevice(*driver) : 0;
  }

  int deviceOf(void *address) override {
    const Driver *driver = Driver::get();
    return driver ? Api::deviceOf(*driver, address) : 0;
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<DriverDevice<Api>>> byOrdinal;
};

} // namespace hocket::driver

#endif
