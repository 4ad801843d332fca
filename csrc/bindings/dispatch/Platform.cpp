//===- Platform.cpp - The GPU vendor of this process -----------------------------------===//
#include "bindings/dispatch/Platform.h"
#include "dispatch/Rules.h"
#include "runtime/LaunchError.h"
#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace hocket::dispatch {

bool torchUsesHip() {
  PyObject *torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (!torch)
    return false;
  py::object version = py::getattr(torch, "version", py::none());
  return !py::getattr(version, "hip", py::none()).is_none();
}

Platform &gpuPlatform() {
  dlpack::DeviceType type = gpuType.load(std::memory_order_relaxed);
  if (type == dlpack::kCpu) {
    // The platform is not chosen in the initializer of a static variable, because the initializer could cause a
    // deadlock: the initializer could run Python code, which needs the GIL, while another thread that holds the GIL
    // waits for the initializer.
    dlpack::DeviceType chosen = chooseGpuType(
        torchUsesHip(), [] { return cudaPlatform().deviceCount(); }, [] { return hipPlatform().deviceCount(); });
    if (gpuType.compare_exchange_strong(type, chosen))
      type = chosen;
  }
  return type == dlpack::kRocm ? hipPlatform() : cudaPlatform();
}

std::string whyNoGpu() {
  std::string why = cudaPlatform().whyNoDevice(), whyNotHip = hipPlatform().whyNoDevice();
  return why + (why.empty() || whyNotHip.empty() ? "" : "; ") + whyNotHip;
}

Device &gpuDevice(int ordinal) {
  Platform &platform = gpuPlatform();
  if (platform.deviceCount() == 0)
    throw LaunchError("no GPU to launch on: " + whyNoGpu());
  return platform.device(ordinal);
}

int usableGpus() {
  Platform &platform = gpuPlatform();
  if (platform.deviceCount() == 0)
    return 0;
  try {
    platform.device(platform.currentDevice());
  } catch (const LaunchError &) {
    return 0;
  }
  return platform.deviceCount();
}

void decideGpuType(dlpack::DeviceType type, std::string_view parameter) {
  Platform &chosen = gpuPlatform();
  bool isRocm = type == dlpack::kRocm;
  if (isRocm == (&chosen == &hipPlatform()))
    return;
  std::string why = (isRocm ? hipPlatform() : cudaPlatform()).whyNoDevice();
  if (why.empty())
    why = std::string("this process launches on ") + (isRocm ? "NVIDIA" : "AMD") + " GPUs";
  throw LaunchError("argument `" + std::string(parameter) + "` is on an " + (isRocm ? "AMD" : "NVIDIA") +
                    " GPU: " + why);
}

} // namespace hocket::dispatch
