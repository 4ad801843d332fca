//===- CheckResult.cpp - HIP's error codes become exceptions -----------------------===//
#include "runtime/hip/CheckResult.h"
#include "runtime/driver/DriverErrors.h"

namespace hocket::hip {

using driver::FailureKind;

/// Errors after which the device is lost to the process: illegal address, time out, destroyed context, device-side
/// assert, launch failure.
static bool isSticky(Result result) {
  return result == 700 || result == 702 || result == 709 || result == 710 || result == 719;
}

void throwResult(Result result, const std::string &doing) {
  const Driver *driver = Driver::get();
  std::string reason = driver ? driver->describe(result) : "hipError_t " + std::to_string(result);
  // HIP keeps the error for the thread's next hipGetLastError, where PyTorch would take it for one of its own.
  if (driver)
    driver->getLastError();
  FailureKind kind = result == kLaunchOutOfResources ? FailureKind::OutOfResources
                     : isSticky(result)              ? FailureKind::Sticky
                                                     : FailureKind::Ordinary;
  driver::throwFailure(kind, doing, reason, "HIP");
}

} // namespace hocket::hip
