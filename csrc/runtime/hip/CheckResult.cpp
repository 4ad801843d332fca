//===- CheckResult.cpp - Converts HIP error codes to exceptions --------------------===//
#include "runtime/hip/CheckResult.h"
#include "runtime/driver/DriverErrors.h"

namespace hocket::hip {

using driver::FailureKind;

/// True for errors after which the process has lost the device: illegal address, timeout, destroyed context,
/// device-side assert, launch failure.
static bool isSticky(Result result) {
  return result == 700 || result == 702 || result == 709 || result == 710 || result == 719;
}

void throwResult(Result result, const std::string &doing) {
  const Driver *driver = Driver::get();
  std::string reason = driver ? driver->describe(result) : "hipError_t " + std::to_string(result);
  // HIP keeps the error until the thread's next call of hipGetLastError. Without getLastError, PyTorch's next call
  // would return the error, and PyTorch would attribute the error to its own work.
  if (driver)
    driver->getLastError();
  FailureKind kind = result == kLaunchOutOfResources ? FailureKind::OutOfResources
                     : isSticky(result)              ? FailureKind::Sticky
                                                     : FailureKind::Ordinary;
  driver::throwFailure(kind, doing, reason, "HIP");
}

} // namespace hocket::hip
