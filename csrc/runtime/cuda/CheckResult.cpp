//===- CheckResult.cpp - Driver error codes become exceptions ----------------------===//
#include "runtime/cuda/CheckResult.h"
#include "runtime/LaunchError.h"

namespace hocket::cuda {

/// Errors after which the context is lost: every later call returns them too, whatever it does. Illegal address, time
/// out, destroyed context, device-side assert, and the hardware faults from "stack error" to "launch failed".
static bool isSticky(Result result) {
  return result == 700 || result == 702 || result == 709 || result == 710 || (result >= 714 && result <= 719);
}

void throwResult(Result result, const std::string &doing) {
  const char *name = nullptr, *text = nullptr;
  if (const Driver *driver = Driver::get()) {
    driver->getErrorName(result, &name);
    driver->getErrorString(result, &text);
  }
  std::string message = doing + " failed: " + (text ? text : "unknown error") + " (" +
                        (name ? name : "CUresult " + std::to_string(result)) + ")";
  if (result == kLaunchOutOfResources)
    throw OutOfResources(message);
  if (isSticky(result))
    message += "\n  an earlier kernel broke the CUDA context; this process cannot use the GPU any more"
               "\n  hint: run the kernels with NumPy arrays: the emulator names the line and the access";
  throw LaunchError(message);
}

} // namespace hocket::cuda
