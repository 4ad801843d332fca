//===- DriverReadback.h - Memory that kernels write and the host reads -------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERREADBACK_H
#define HOCKET_RUNTIME_DRIVER_DRIVERREADBACK_H

#include "runtime/Device.h"
#include "runtime/LaunchError.h"
#include "runtime/driver/DriverTiming.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

namespace hocket::driver {

/// The stream of a device on which the profiler's results are copied concurrently with other work. The stream is
/// created at its first use, because creating it takes longer than many launches, and is never destroyed.
///
/// Copies go through pinned host memory. A copy to pageable memory would delay launches: the driver splits such a copy
/// into parts, and a launch takes several times longer during the copy.
template <typename Api>
class CopyStream {
  using Stream = typename Api::Stream;

public:
  CopyStream(const typename Api::Driver &driver, typename Api::CallContext callContext)
      : driver(driver), callContext(callContext) {}

  /// Returns the stream, which is created at the first call. Throws LaunchError.
  typename Api::Stream get() {
    std::lock_guard lock(mutex);
    if (stream)
      return stream;
    if (!driver.memcpyDtoHAsync || !driver.streamCreate || !driver.streamSynchronize || !driver.hostMalloc)
      throw LaunchError("this driver has no functions for asynchronous copies from the GPU");
    typename Api::Scope current(driver, callContext);
    Api::check(driver.streamCreate(&stream, kNonBlocking), "making a stream");
    return stream;
  }

  /// Copies the bytes at device address `from` to `to`, and waits for the copy. The device or context of the address
  /// must be current. Throws LaunchError.
  void read(std::span<std::byte> to, uint64_t from) {
    Stream copies = get();
    std::lock_guard lock(reading);
    if (!locked)
      Api::check(driver.hostMalloc(&locked, kLockedBytes, /*flags=*/0), "allocating memory for copies from the GPU");
    while (!to.empty()) {
      const size_t bytes = std::min(to.size(), kLockedBytes);
      Api::check(driver.memcpyDtoHAsync(locked, (typename Api::DevicePointer)from, bytes, copies),
                 "copying from the GPU");
      Api::check(driver.streamSynchronize(copies), "waiting for a copy from the GPU");
      std::memcpy(to.data(), locked, bytes);
      to = to.subspan(bytes);
      from += bytes;
    }
  }

private:
  /// Flag of CUDA and HIP for a stream that does not implicitly synchronize with the default stream.
  static constexpr unsigned kNonBlocking = 1;
  static constexpr size_t kLockedBytes = size_t(4) << 20;

  const typename Api::Driver &driver;
  typename Api::CallContext callContext;
  std::mutex mutex, reading; ///< `mutex` protects `stream`, `reading` protects `locked`
  Stream stream = nullptr;
  void *locked = nullptr;
};

/// GPU memory initialized to zero.
template <typename Api>
class ZeroedMemory {
public:
  /// Allocates `bytes` bytes of GPU memory. `bytes` must be a multiple of four. `copies` must outlive this object.
  ZeroedMemory(const typename Api::Driver &driver, typename Api::CallContext callContext, CopyStream<Api> &copies,
               size_t bytes)
      : driver(driver), callContext(callContext), copies(copies) {
    typename Api::Scope current(driver, callContext);
    typename Api::LoadScope inCapture(driver);
    Api::check(driver.memAlloc(&memory, bytes), "allocating memory of the GPU");
    try {
      clear(0, bytes);
      Api::check(driver.streamSynchronize(copies.get()), "waiting for the GPU");
    } catch (...) {
      driver.memFree(memory);
      throw;
    }
  }
  ~ZeroedMemory() {
    Api::tryInside(driver, callContext, [&] { driver.memFree(memory); });
  }
  ZeroedMemory(const ZeroedMemory &) = delete;

  typename Api::DevicePointer at(size_t offset) const {
    // DevicePointer is an integer type in CUDA, and a pointer type in HIP.
    return (typename Api::DevicePointer)(uint64_t(memory) + offset);
  }
  /// Queues on `copies` a memset that clears `bytes` bytes from `offset` on. `bytes` is rounded up to a multiple of
  /// four.
  void clear(size_t offset, size_t bytes) {
    Api::check(driver.memsetD32Async(at(offset), 0, (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t), copies.get()),
               "clearing memory of the GPU");
  }

  const typename Api::Driver &driver;
  const typename Api::CallContext callContext;
  CopyStream<Api> &copies;

private:
  typename Api::DevicePointer memory{};
};

/// A range of bytes of a ZeroedMemory.
template <typename Api>
class DriverReadback final : public ReadbackMemory {
  using Stream = typename Api::Stream;

public:
  DriverReadback(std::shared_ptr<ZeroedMemory<Api>> whole, size_t offset, size_t bytes)
      : memory(std::move(whole)), offset(offset), byteCount(bytes) {
    typename Api::Scope current(memory->driver, memory->callContext);
    Api::check(memory->driver.eventCreate(&writtenEvent, kEventHasNoTiming | kEventWaitsSleep), "making an event");
    // The first recording of an event takes longer than a launch, so the event is recorded once here, before any
    // launch.
    Api::check(memory->driver.eventRecord(writtenEvent, memory->copies.get()), "recording an event");
  }
  ~DriverReadback() override {
    Api::tryInside(memory->driver, memory->callContext, [&] { memory->driver.eventDestroy(writtenEvent); });
  }

  size_t bytes() const override { return byteCount; }
  uint64_t address() const override { return uint64_t(memory->at(offset)); }

  void markWritten(void *stream) override {
    typename Api::Scope current(memory->driver, memory->callContext);
    Api::check(memory->driver.eventRecord(writtenEvent, static_cast<Stream>(stream)), "recording an event");
  }
  void read(std::span<std::byte> to) override {
    const auto &driver = memory->driver;
    typename Api::Scope current(driver, memory->callContext);
    typename Api::LoadScope inCapture(driver); // another thread may be capturing a stream
    size_t bytes = std::min(to.size(), byteCount);
    Api::check(driver.eventSynchronize(writtenEvent), "waiting for a kernel");
    memory->copies.read(to.first(bytes), address());
    memory->clear(offset, bytes);
    Api::check(driver.streamSynchronize(memory->copies.get()), "waiting for memory to be cleared");
  }

private:
  std::shared_ptr<ZeroedMemory<Api>> memory;
  size_t offset, byteCount;
  typename Api::Event writtenEvent = nullptr;
};

} // namespace hocket::driver

#endif
