//===- CudaKernel.cpp - A kernel loaded on an NVIDIA GPU ---------------------------===//
#include "runtime/cuda/CudaKernel.h"
#include "runtime/LaunchError.h"
#include "runtime/cuda/CudaContext.h"
#include <vector>

namespace hocket::cuda {

// Dynamic shared memory beyond this needs the kernel's opt-in.
static constexpr int kSharedBytesWithoutOptIn = 48 * 1024;

namespace {

class CudaKernel final : public DeviceKernel {
public:
  CudaKernel(const Driver &driver, Context context, const DeviceInfo &device, const KernelImage &image)
      : driver(driver), context(context), name(image.name), threads(image.threads), sharedBytes(image.sharedBytes) {
    if (sharedBytes > device.maxSharedBytes)
      throw OutOfResources("out of resource: shared memory: kernel '" + name + "' needs " +
                           std::to_string(sharedBytes) + " bytes per block, " + device.name + " has " +
                           std::to_string(device.maxSharedBytes) + "\n  hint: use smaller tiles or fewer stages");
    ScopedContext current(driver, context);
    loadModule(image);
    check(driver.moduleGetFunction(&function, module, name.c_str()), ("finding kernel '" + name + "'").c_str());
    readResources();
    if (threads > used.maxThreads)
      throw OutOfResources("out of resource: registers: kernel '" + name + "' uses " + std::to_string(used.registers) +
                           " registers per thread, which leaves room for " + std::to_string(used.maxThreads) +
                           " threads per block; it needs " + std::to_string(threads) +
                           "\n  hint: use smaller tiles or a smaller num_warps");
    if (sharedBytes > kSharedBytesWithoutOptIn)
      check(driver.funcSetAttribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes, sharedBytes),
            "opting in to large shared memory");
  }

  ~CudaKernel() override {
    // At process exit the driver may be gone already; then there is nothing left to unload and the error is expected.
    Context previous = nullptr;
    if (driver.ctxGetCurrent(&previous) != kSuccess || driver.ctxSetCurrent(context) != kSuccess)
      return;
    driver.moduleUnload(module);
    driver.ctxSetCurrent(previous);
  }

  void launch(const GridSize &grid, void *stream, void **parameters) override {
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) [[unlikely]]
      return;
    ScopedContext current(driver, context);
    Result result = driver.launchKernel(function, grid[0], grid[1], grid[2], threads, 1, 1, sharedBytes,
                                        static_cast<Stream>(stream), parameters, nullptr);
    if (result != kSuccess) [[unlikely]]
      throwResult(result, "launching kernel '" + name + "'");
  }

  const KernelResources &resources() const override { return used; }

private:
  void loadModule(const KernelImage &image) {
    // The driver reads PTX up to a terminating zero; binaries carry their own size.
    std::string code(image.code);
    std::vector<char> log(8192, '\0');
    JitOption options[] = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferSizeBytes, JitOption::GenerateLineInfo};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size()), reinterpret_cast<void *>(uintptr_t(1))};
    Result result = driver.moduleLoadDataEx(&module, code.c_str(), 3, options, values);
    if (result == kSuccess)
      return;
    std::string doing = "loading kernel '" + name + "'";
    if (log[0])
      doing += " (" + std::string(log.data()) + ")";
    throwResult(result, doing);
  }

  void readResources() {
    int localBytes = 0;
    check(driver.funcGetAttribute(&used.registers, FunctionAttribute::NumRegs, function), "reading register use");
    check(driver.funcGetAttribute(&localBytes, FunctionAttribute::LocalSizeBytes, function), "reading spills");
    check(driver.funcGetAttribute(&used.maxThreads, FunctionAttribute::MaxThreadsPerBlock, function),
          "reading the block limit");
    used.spillBytes = localBytes;
  }

  const Driver &driver;
  Context context;
  std::string name;
  int threads;
  int sharedBytes;
  Module module = nullptr;
  Function function = nullptr;
  KernelResources used;
};

} // namespace

std::unique_ptr<DeviceKernel> loadKernel(const Driver &driver, Context context, const DeviceInfo &device,
                                         const KernelImage &image) {
  return std::make_unique<CudaKernel>(driver, context, device, image);
}

} // namespace hocket::cuda
