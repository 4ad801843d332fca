//===- DriverKernel.h - A kernel loaded through a vendor's driver ------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_DRIVERKERNEL_H
#define HOCKET_RUNTIME_DRIVER_DRIVERKERNEL_H

#include "runtime/driver/DriverErrors.h"
#include "runtime/driver/ImplicitMemory.h"
#include "runtime/driver/RecordsVariable.h"

namespace hocket::driver {

template <typename Api>
class DriverKernel final : public DeviceKernel {
public:
  /// Loads `image` into `callContext`. `callContext`, `device` and `messages` must outlive the kernel. Throws the
  /// exceptions that Device::load documents.
  DriverKernel(const typename Api::Driver &driver, typename Api::CallContext callContext, const DeviceInfo &device,
               typename Api::Messages &messages, const KernelImage &image)
      : DriverKernel(messages, driver, callContext, device, image) {
    checkSharedMemory(image, device);
    typename Api::Scope current(driver, callContext);
    typename Api::LoadScope loading(driver);
    code = image.code;
    module = Api::loadModule(driver, name, code);
    if (!Api::kModuleReadsCodeLater)
      code = {};
    Api::check(driver.moduleGetFunction(&function, module, name.c_str()), ("finding kernel '" + name + "'").c_str());
    readResources();
    checkThreads(image, used);
    if (!facts.recordsVariable.empty())
      records.emplace(driver, module, facts);
    Api::prepare(driver, facts, function, dynamicSharedBytes);
    if (facts.cooperativeGrid)
      programsAtOnce = askProgramsAtOnce();
  }

  ~DriverKernel() override {
    // At process exit, the driver has possibly shut down already. After a shutdown, no module is left to unload, and
    // tryInside does nothing.
    if (module)
      Api::tryInside(driver, callContext, [&] {
        records.reset();
        driver.moduleUnload(module);
      });
  }

  void launch(const KernelLaunch &launch) override {
    const GridSize &grid = launch.grid;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) [[unlikely]]
      return;
    Api::checkGrid(grid, threads, name);
    typename Api::Scope current(driver, callContext);
    auto queue = static_cast<typename Api::Stream>(launch.stream);
    messages.raiseFailure();
    std::optional<typename RecordsVariable<Api>::Launch> recorded;
    if (records) [[unlikely]]
      recorded.emplace(*records, grid, queue, launch.profile);
    if (facts.implicitArguments.empty()) [[likely]]
      start(grid, queue, const_cast<void **>(launch.parameters.data()));
    else
      startWithMemory(launch, queue);
    if (recorded) [[unlikely]]
      recorded->started();
  }

  const KernelResources *resources() const override { return &used; }

private:
  void startWithMemory(const KernelLaunch &launch, typename Api::Stream queue) {
    typename Api::Messages::Launch told(messages, facts, queue);
    ImplicitMemory<Api> memory(driver, facts.implicitArguments, launch.grid, queue, told.address(), launch.profile);
    std::vector<void *> all(launch.parameters.begin(), launch.parameters.end());
    memory.appendTo(all);
    start(launch.grid, queue, all.data());
    told.started();
  }

  /// The public constructor delegates to this private constructor, so that the destructor runs and unloads the module
  /// even if the public constructor throws.
  DriverKernel(typename Api::Messages &messages, const typename Api::Driver &driver,
               typename Api::CallContext callContext, const DeviceInfo &device, const KernelImage &image)
      : driver(driver), callContext(callContext), device(device), messages(messages), facts(image.facts),
        name(facts.name), threads(facts.threads()), dynamicSharedBytes(Api::dynamicSharedBytes(image)) {}

  void start(const GridSize &grid, typename Api::Stream stream, void **parameters) {
    if (facts.cooperativeGrid) [[unlikely]]
      checkCooperativeGrid(facts, grid, programsAtOnce, device);
    // launchKernel is faster than launchWithOptions, so kernels without options use launchKernel.
    auto result = facts.cooperativeGrid || facts.programmaticLaunch || facts.numCtas > 1
                      ? Api::launchWithOptions(driver, facts, function, grid, dynamicSharedBytes, stream, parameters)
                      : driver.launchKernel(function, grid[0], grid[1], grid[2], threads, 1, 1, dynamicSharedBytes,
                                            stream, parameters, nullptr);
    if (result != Api::kSuccess) [[unlikely]]
      Api::throwResult(result, "launching kernel '" + name + "'");
  }

  int64_t askProgramsAtOnce() {
    if (facts.numCtas > 1)
      return Api::clustersAtOnce(driver, facts, function, dynamicSharedBytes);
    int blocks = 0; // number of resident blocks per SM or compute unit
    Api::check(driver.occupancyMaxActiveBlocks(&blocks, function, threads, dynamicSharedBytes),
               "querying the number of blocks that run at once");
    return int64_t(blocks) * device.multiprocessors;
  }

  void readResources() {
    using Attribute = typename Api::FunctionAttribute;
    Api::check(driver.funcGetAttribute(&used.registers, Attribute::NumRegs, function), "reading register use");
    Api::check(driver.funcGetAttribute(&used.spillBytes, Attribute::LocalSizeBytes, function), "reading spills");
    Api::check(driver.funcGetAttribute(&used.maxThreads, Attribute::MaxThreadsPerBlock, function),
               "reading the block limit");
  }

  const typename Api::Driver &driver;
  typename Api::CallContext callContext;
  const DeviceInfo &device;
  typename Api::Messages &messages;
  KernelFacts facts;
  std::string name;
  int threads;
  int dynamicSharedBytes;
  int64_t programsAtOnce = 0; ///< number of blocks or clusters that fit on the device at once; 0 unless cooperativeGrid
  std::string code;
  typename Api::Module module = nullptr;
  typename Api::Function function = nullptr;
  /// The module's variable for the profiler's records, if the module has such a variable.
  std::optional<RecordsVariable<Api>> records;
  KernelResources used;
};

} // namespace hocket::driver

#endif
