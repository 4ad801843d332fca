//===- HipContext.h - Scope in which a device is current ---------------------------===//
#ifndef HOCKET_RUNTIME_HIP_HIPCONTEXT_H
#define HOCKET_RUNTIME_HIP_HIPCONTEXT_H

#include "runtime/hip/CheckResult.h"

namespace hocket::hip {

/// Makes the device `ordinal` current in this thread; the destructor restores the previous one.
class ScopedDevice {
public:
  ScopedDevice(const Driver &driver, int ordinal) : driver(driver) {
    int current = 0;
    check(driver.getDevice(&current), "asking for the current GPU");
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

} // namespace hocket::hip

#endif
