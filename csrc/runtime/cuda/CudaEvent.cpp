//===- CudaEvent.cpp - Moments on a stream, for timing -----------------------------===//
#include "runtime/cuda/CudaEvent.h"
#include "runtime/cuda/CudaContext.h"
#include "runtime/cuda/CudaDevice.h"

namespace hocket::cuda {

CudaEvent::CudaEvent(int ordinal) : driver((getDevice(ordinal), *Driver::get())), context(contextOf(ordinal)) {
  ScopedContext current(driver, context);
  check(driver.eventCreate(&event, /*flags=*/0), "making a CUDA event");
}

CudaEvent::~CudaEvent() {
  if (event)
    driver.eventDestroy(event);
}

void CudaEvent::record(void *stream) {
  ScopedContext current(driver, context);
  check(driver.eventRecord(event, static_cast<Stream>(stream)), "recording a CUDA event");
}

void CudaEvent::synchronize() { check(driver.eventSynchronize(event), "waiting for a CUDA event"); }

float CudaEvent::millisecondsSince(const CudaEvent &start) const {
  float milliseconds = 0;
  check(driver.eventElapsedTime(&milliseconds, start.event, event), "reading the time between CUDA events");
  return milliseconds;
}

// Several times the largest L2 (126 MB on Blackwell, 50 on Hopper).
static constexpr size_t kFlushBytes = size_t(512) << 20;

CacheFlusher::CacheFlusher(int ordinal) : driver((getDevice(ordinal), *Driver::get())), context(contextOf(ordinal)) {
  ScopedContext current(driver, context);
  check(driver.memAlloc(&memory, kFlushBytes), "allocating memory to flush the cache with");
}

CacheFlusher::~CacheFlusher() {
  Context previous = nullptr;
  if (!memory || driver.ctxGetCurrent(&previous) != kSuccess || driver.ctxSetCurrent(context) != kSuccess)
    return;
  driver.memFree(memory);
  driver.ctxSetCurrent(previous);
}

void CacheFlusher::flush(void *stream) {
  ScopedContext current(driver, context);
  check(driver.memsetD32Async(memory, 0, kFlushBytes / sizeof(uint32_t), static_cast<Stream>(stream)),
        "flushing the cache");
}

} // namespace hocket::cuda
