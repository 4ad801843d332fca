//===- CudaDevice.cpp - NVIDIA GPUs through the CUDA driver ------------------------===//
#include "runtime/cuda/CudaDevice.h"
#include "runtime/LaunchError.h"
#include "runtime/cuda/CudaContext.h"
#include "runtime/cuda/CudaKernel.h"
#include <mutex>
#include <vector>

namespace hocket::cuda {

/// Picks the target for a compute capability. Code for sm_80 runs on every 8.x; code for sm_90a on 9.0 only. The
/// driver of a newer GPU can compile sm_80's PTX. False below 8.0.
static bool chooseTarget(int major, int minor, DeviceInfo &info) {
  if (major < 8)
    return false;
  info.target = major == 9 && minor == 0 ? "sm_90a" : "sm_80";
  info.needsPtx = major > 8 && info.target == "sm_80";
  return true;
}

namespace {

class CudaDevice final : public Device {
public:
  CudaDevice(const Driver &driver, int ordinal) : driver(driver) {
    DeviceId id = 0;
    check(driver.deviceGet(&id, ordinal), "opening the GPU");
    facts.ordinal = ordinal;
    char name[256] = {};
    check(driver.deviceGetName(name, sizeof(name), id), "asking for the GPU's name");
    facts.name = name;
    check(driver.deviceTotalMem(&facts.memoryBytes, id), "asking for the GPU's memory");
    int major = 0, minor = 0;
    check(driver.deviceGetAttribute(&major, DeviceAttribute::ComputeCapabilityMajor, id), "asking for the GPU's age");
    check(driver.deviceGetAttribute(&minor, DeviceAttribute::ComputeCapabilityMinor, id), "asking for the GPU's age");
    check(driver.deviceGetAttribute(&facts.multiprocessors, DeviceAttribute::MultiprocessorCount, id),
          "asking for the number of multiprocessors");
    check(driver.deviceGetAttribute(&facts.maxSharedBytes, DeviceAttribute::MaxSharedMemoryPerBlockOptin, id),
          "asking for the size of shared memory");
    if (!chooseTarget(major, minor, facts))
      throw LaunchError(facts.name + " has compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                        "; hocket needs 8.0 or newer");
    check(driver.devicePrimaryCtxRetain(&context, id), "making a CUDA context");
  }

  const DeviceInfo &info() const override { return facts; }

  std::unique_ptr<DeviceKernel> load(const KernelImage &image) override {
    return loadKernel(driver, context, facts, image);
  }

  void synchronize() override {
    ScopedContext current(driver, context);
    check(driver.ctxSynchronize(), "waiting for the GPU");
  }

  Context context = nullptr;

private:
  const Driver &driver;
  DeviceInfo facts;
};

/// Devices are made at their first use and live as long as the process: kernels refer to their contexts.
struct Devices {
  std::mutex mutex;
  std::vector<std::unique_ptr<CudaDevice>> byOrdinal;
};

} // namespace

static Devices &devices() {
  static Devices *all = new Devices; // never destroyed: the driver may be unloaded before us
  return *all;
}

int deviceCount() {
  const Driver *driver = Driver::get();
  int count = 0;
  return driver && driver->deviceGetCount(&count) == kSuccess ? count : 0;
}

int driverVersion() {
  const Driver *driver = Driver::get();
  int version = 0;
  return driver && driver->driverGetVersion(&version) == kSuccess ? version : 0;
}

std::string whyNoDevice() {
  std::string why;
  Driver::get(&why);
  return why;
}

static CudaDevice &openDevice(int ordinal) {
  std::string why;
  const Driver *driver = Driver::get(&why);
  if (!driver)
    throw LaunchError("no GPU to launch on: " + why);
  Devices &all = devices();
  std::lock_guard lock(all.mutex);
  if (ordinal < 0 || ordinal >= deviceCount())
    throw LaunchError("there is no GPU " + std::to_string(ordinal));
  if (size_t(ordinal) >= all.byOrdinal.size())
    all.byOrdinal.resize(ordinal + 1);
  auto &slot = all.byOrdinal[ordinal];
  if (!slot)
    slot = std::make_unique<CudaDevice>(*driver, ordinal);
  return *slot;
}

Device &getDevice(int ordinal) { return openDevice(ordinal); }

Context contextOf(int ordinal) { return openDevice(ordinal).context; }

int currentDevice() {
  const Driver *driver = Driver::get();
  Context current = nullptr;
  DeviceId id = 0;
  if (!driver || driver->ctxGetCurrent(&current) != kSuccess || !current || driver->ctxGetDevice(&id) != kSuccess)
    return 0;
  return id; // device handles are ordinals
}

} // namespace hocket::cuda
