//===- DriverReadback.h - Memory that kernels write and the host reads -------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERREADBACK_H
#define HOCKET_RUNTIME_DRIVER_DRIVERREADBACK_H

#include "runtime/Device.h"
#include "runtime/LaunchError.h"

#include <mutex>

namespace hocket::driver {

/// The stream of a device on which results of the profiler are copied, beside whatever else runs. Made at its first
/// use, and never destroyed: making one takes longer than many launches.
template <typename Api>
class CopyStream {
public:
  CopyStream(const typename Api::Driver &driver, typename Api::Place place) : driver(driver), place(place) {}

  /// Throws LaunchError.
  typename Api::Stream get() {
    std::lock_guard lock(mutex);
    if (stream)
      return stream;
    if (!driver.memcpyDtoHAsync || !driver.streamCreate || !driver.streamSynchronize)
      throw LaunchError("this driver has no functions to copy from the GPU beside other work");
    typename Api::Scope current(driver, place);
    Api::check(driver.streamCreate(&stream, kNonBlocking), "making a stream");
    return stream;
  }

private:
  static constexpr unsigned kNonBlocking = 1; ///< of CUDA and HIP: it does not wait for the default stream

  const typename Api::Driver &driver;
  typename Api::Place place;
  std::mutex mutex;
  typename Api::Stream stream = nullptr;
};

template <typename Api>
class DriverReadback final : public ReadbackMemory {
  using Stream = typename Api::Stream;

public:
  /// `copies` must outlive this. `bytes` is a multiple of four.
  DriverReadback(const typename Api::Driver &driver, typename Api::Place place, Stream copies, size_t bytes)
      : driver(driver), place(place), copies(copies), byteCount(bytes) {
    typename Api::Scope current(driver, place);
    typename Api::LoadScope inCapture(driver);
    try {
      Api::check(driver.memAlloc(&memory, bytes), "allocating memory of the GPU");
      Api::check(driver.eventCreate(&writtenEvent, kNoTiming | kSleeps), "making an event");
      clear(bytes);
      Api::check(driver.streamSynchronize(copies), "waiting for the GPU");
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

  void markWritten(void *stream) override {
    typename Api::Scope current(driver, place);
    Api::check(driver.eventRecord(writtenEvent, static_cast<Stream>(stream)), "recording an event");
  }
  void read(std::span<std::byte> to) override {
    typename Api::Scope current(driver, place);
    typename Api::LoadScope inCapture(driver); // of another thread's stream
    size_t bytes = std::min(to.size(), byteCount);
    Api::check(driver.eventSynchronize(writtenEvent), "waiting for a kernel");
    Api::check(driver.memcpyDtoHAsync(to.data(), memory, bytes, copies), "copying from the GPU");
    clear(bytes);
    Api::check(driver.streamSynchronize(copies), "waiting for a copy from the GPU");
  }

private:
  /// The same numbers in CUDA and HIP: the event measures nothing, and who waits for it leaves the core to others.
  static constexpr unsigned kNoTiming = 2, kSleeps = 1;

  /// The first bytes, and up to three more.
  void clear(size_t bytes) {
    Api::check(driver.memsetD32Async(memory, 0, (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t), copies),
               "clearing memory of the GPU");
  }

  void release() {
    if (writtenEvent)
      driver.eventDestroy(writtenEvent);
    if (memory)
      driver.memFree(memory);
  }

  const typename Api::Driver &driver;
  typename Api::Place place;
  Stream copies;
  size_t byteCount;
  typename Api::DevicePointer memory{};
  typename Api::Event writtenEvent = nullptr;
};

} // namespace hocket::driver

#endif
