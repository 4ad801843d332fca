//===- Kernel.cpp - A kernel on the emulated GPU ---------------------------------------===//
#include "bindings/emulator/Kernel.h"
#include "bindings/emulator/Run.h"
#include "emulator/run/UnwrittenMemory.h"

namespace py = pybind11;

namespace hocket::bindings {

EmulatedDeviceKernel::EmulatedDeviceKernel(EmulatedRequest given, py::object settingsObject)
    : request(std::move(given)), settingsObject(std::move(settingsObject)),
      settings(*this->settingsObject.cast<const EmulatorSettings *>()), gapWarnings(request.constants) {
  codeFor(settings.read().variant(/*usesUnwritten=*/false));
}

std::shared_ptr<EmulatedCode> EmulatedDeviceKernel::codeFor(const EmulatorVariant &how) {
  for (const Variant &variant : variants)
    if (variant.how == how)
      return variant.code;
  py::tuple compiled = request.compile(how.timing, how.undefined, how.unwritten, how.optimized);
  variants.push_back({how, compiled[0], compiled[1].cast<std::shared_ptr<EmulatedCode>>()});
  return variants.back().code;
}

static bool usesUnwrittenMemory(const KernelLaunch &launch) {
  return std::ranges::any_of(launch.arrays, [](const HostArray &array) {
    return emulator::UnwrittenMemory::find(reinterpret_cast<uintptr_t>(array.memory.data)) != nullptr;
  });
}

void EmulatedDeviceKernel::watch(const py::object &watcher, const GridSize &grid) const {
  watcher(request.function, request.target, py::make_tuple(grid[0], grid[1], grid[2]), request.numWarps);
}

void EmulatedDeviceKernel::launch(const KernelLaunch &launch) {
  EmulatorChoices choices = settings.read();
  const auto &known = *facts().cast<const KernelFacts *>();
  if (!choices.watcher.is_none())
    watch(choices.watcher, launch.grid);
  gapWarnings.check(launch, known, request.function);
  LaunchOptions &options = choices.options;
  options.cooperative = request.cooperative;
  options.profile = reinterpret_cast<void *>(launch.profile);
  options.keepsTime = launch.profile != 0; // a profiled launch needs the virtual clock
  const bool isRecorded = !choices.recorder.is_none();
  if (isRecorded)
    options.recordedBlocks = choices.recorder.attr("blocks").cast<uint64_t>();
  std::shared_ptr<EmulatedCode> code =
      codeFor(options.keepsTime ? EmulatorVariant{.timing = true}
                                : choices.variant(choices.undefined && usesUnwrittenMemory(launch)));
  const std::shared_ptr<EmulatedKernel> kernel = code->kernel;
  LaunchResult result = run(*kernel, gridOf(launch), argumentsOf(launch, code->parameters), options, choices.printer);
  if (options.countBanks)
    choices.bankCounter(toPython(result.bankCounts));
  if (isRecorded)
    choices.recorder.attr("add")(known.name, toPython(result.timeline), py::cast(kernel->workers()));
}

int EmulatedDeviceKernel::traverse(visitproc visit, void *arg) const {
  Py_VISIT(request.function.ptr());
  Py_VISIT(request.constants.ptr());
  Py_VISIT(request.compile.ptr());
  return 0;
}

void EmulatedDeviceKernel::clear() {
  request.function = py::none();
  request.constants = py::list();
  request.compile = py::none();
}

} // namespace hocket::bindings
