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

} // namespace hocket::cuda
