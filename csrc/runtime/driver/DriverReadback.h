//===- DriverReadback.h - Memory that kernels write and the host reads -------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERREADBACK_H
#define HOCKET_RUNTIME_DRIVER_DRIVERREADBACK_H

#include "runtime/Device.h"
#include "runtime/LaunchError.h"

namespace hocket::driver {

template <typename Api>
class DriverReadback final : public ReadbackMemory {
  using Stream = typename Api::Stream;

public:
  DriverReadback(const typename Api::Driver &driver, typename Api::Place place, size_t bytes)
      : driver(driver), place(place), byteCount(bytes) {
    if (!driver.memcpyDtoHAsync || !driver.streamCreate || !driver.streamDestroy || !driver.streamSynchronize)
      throw LaunchError("this driver has no functions to copy from the GPU beside other work");
    typename Api::Scope current(driver, place);
    try {
      Api::check(driver.memAlloc(&memory, bytes), "allocating memory of the GPU");
      Api::check(driver.eventCreate(&writtenEvent, kNoTiming), "making an event");
      Api::check(driver.streamCreate(&copies, kNonBlocking), "making a stream");
    } catch (...) {
      release();
      throw;
    }
  }
  ~DriverReadback() override {
    Api::tryInside(driver, place, [&] { release(); });
  }

  size_t bytes() const override { return byteCount; }
  uint64_t address() const override { return uint64_t(memory); }

  void clear(void *stream) override {
    typename Api::Scope current(driver, place);
    Api::check(driver.memsetD32Async(memory, 0, byteCount / sizeof(uint32_t), static_cast<Stream>(stream)),
               "clearing memory of the GPU");
  }
  void markWritten(void *stream) override {
    typename Api::Scope current(driver, place);
    Api::check(driver.eventRecord(writtenEvent, static_cast<Stream>(stream)), "recording an event");
  }
  void read(std::span<std::byte> to) override {
    typename Api::Scope current(driver, place);
    Api::check(driver.eventSynchronize(writtenEvent), "waiting for a kernel");
    Api::check(driver.memcpyDtoHAsync(to.data(), memory, std::min(to.size(), byteCount), copies),
               "copying from the GPU");
    Api::check(driver.streamSynchronize(copies), "waiting for a copy from the GPU");
  }

private:
  // The same numbers in CUDA and HIP: the event measures nothing, and the stream does not wait for the default one.
  static constexpr unsigned kNoTiming = 2, kNonBlocking = 1;

  void release() {
    if (copies)
      driver.streamDestroy(copies);
    if (writtenEvent)
      driver.eventDestroy(writtenEvent);
    if (memory)
      driver.memFree(memory);
  }

  const typename Api::Driver &driver;
  typename Api::Place place;
  size_t byteCount;
  typename Api::DevicePointer memory{};
  typename Api::Event writtenEvent = nullptr;
  Stream copies = nullptr;
};

} // namespace hocket::driver

#endif
