//===- CheckResult.cpp - Converts CUDA error codes to exceptions -------------------===//
#include "runtime/cuda/CheckResult.h"
#include "runtime/driver/DriverErrors.h"

namespace hocket::cuda {

using driver::FailureKind;

/// True for errors after which the context is lost: illegal address, timeout, destroyed context, device-side assert,
/// and the hardware faults from "stack error" to "launch failed".
static bool isSticky(Result result) {
  return result == 700 || result == 702 || result == 709 || result == 710 || (result >= 714 && result <= 719);
}

void throwResult(Result result, const std::string &doing) {
  const Driver *driver = Driver::get();
  std::string reason = driver ? driver->describe(result) : "CUresult " + std::to_string(result);
  FailureKind kind = result == kLaunchOutOfResources ? FailureKind::OutOfResources
                     : isSticky(result)              ? FailureKind::Sticky
                                                     : FailureKind::Ordinary;
  driver::throwFailure(kind, doing, reason, "CUDA");
}

} // namespace hocket::cuda
