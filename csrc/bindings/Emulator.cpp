//===- Emulator.cpp - Execution of kernels on the emulator from Python --------------===//
#include "bindings/Bindings.h"
#include "bindings/Interruptible.h"
#include "bindings/KernelFacts.h"
#include "bindings/KernelRequests.h"
#include "bindings/LaunchValues.h"
#include "bindings/Presence.h"
#include "bindings/emulator/Kernel.h"
#include "bindings/emulator/Run.h"
#include "emulator/run/UnwrittenMemory.h"
#include "mlir/Parser/Parser.h"
#include "pipeline/CompileForHost.h"
#include "support/CompileError.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// Data of the compilation steps after the front end, which need no Python objects.
struct EmulatedCompilation {
  LaneChecks checks;
  HostCodeOptions options;
  bool optimized;
  BorrowedContext context; // declared before `emitted`, so that the context is destroyed later
  frontend::EmittedModule emitted;
  KernelFacts facts;
  std::unique_ptr<EmulatedKernel> kernel;

  EmulatedCompilation(LaneChecks checks, HostCodeOptions options, bool optimized)
      : checks(checks), options(options), optimized(optimized) {}

  void run() {
    facts = lowerToLanes(*emitted.module, checks);
    auto created = compileForHost(*emitted.module, options, optimized);
    if (!created)
      throw InternalError("the emulator cannot run this kernel: " + llvm::toString(created.takeError()));
    kernel = std::move(*created);
    emitted.module = nullptr; // the module must be destroyed before its context returns to the pool
  }
};

} // namespace

/// Compiles a kernel for the emulator, and returns (KernelFacts, EmulatedCode). The parameters up to `options` are
/// those of `compile` in Compile.cpp. With `timing`, launches have a virtual clock. With `undefined`, launches detect
/// uses of undefined bits and negative offsets of buffer accesses. With `unwritten`, launches also detect uses of bytes
/// of an UnwrittenMemory that have not been written. If `optimized` is false, the compilation is faster, and launches
/// are slower.
static py::tuple compileEmulated(py::object function, py::list types, py::list values, const std::string &target,
                                 py::object options, bool timing, bool undefined, bool unwritten, bool optimized) {
  Compiling compiling;
  frontend::KernelRequest request = makeRequest(std::move(function), types, values, target, options);
  request.options.emulated = true;
  auto compilation = std::make_shared<EmulatedCompilation>(
      LaneChecks{.indices = true, .bufferOffsets = undefined},
      HostCodeOptions{.timing = timing, .undefined = undefined, .unwritten = unwritten}, optimized);
  compilation->emitted = frontend::emitModule(*compilation->context, request);
  std::vector<Diagnostic> warnings = warningsOfLaunch(*compilation->emitted.module, options);
  runInterruptibly([compilation] { compilation->run(); });
  KernelFacts &facts = compilation->facts;
  completeFacts(facts, namesOf(compilation->emitted.parameters), options, warnings);
  auto code = std::make_shared<EmulatedCode>(EmulatedCode{std::move(compilation->kernel), facts.parameters});
  return py::make_tuple(std::move(facts), std::move(code));
}

/// Compiles a kernel to the lane form, and returns (KernelFacts, lane form as text with all locations). Tests edit the
/// text and pass it to `emulateLane`. If `isGeneric` is true, the text is in MLIR's generic form, which `emulateLane`
/// parses for every kernel: upstream, the custom form of nvvm.barrier cannot be parsed.
static py::tuple laneForm(py::object function, py::list types, py::list values, const std::string &target,
                          py::object options, bool isGeneric) {
  Compiling compiling;
  frontend::KernelRequest request = makeRequest(std::move(function), types, values, target, options);
  request.options.emulated = true;
  BorrowedContext context;
  frontend::EmittedModule emitted = frontend::emitModule(*context, request);
  std::vector<Diagnostic> warnings = warningsOfLaunch(*emitted.module, options);
  std::string text;
  KernelFacts facts;
  {
    WithoutGil released;
    facts = lowerToLanes(*emitted.module);
    llvm::raw_string_ostream stream(text);
    emitted.module->print(stream, mlir::OpPrintingFlags().enableDebugInfo().printGenericOpForm(isGeneric));
    emitted.module = nullptr; // destroyed here, while the GIL is released
  }
  completeFacts(facts, namesOf(emitted.parameters), options, warnings);
  return py::make_tuple(std::move(facts), text);
}

/// Compiles `text`, a module in lane form, to host code. `text` is the artifact "lane" or a result of `laneForm`. Tests
/// launch the code few times, so the code is not optimized.
static std::shared_ptr<EmulatedCode> emulateLane(const std::string &text, std::vector<std::string> parameters,
                                                 bool timing) {
  Compiling compiling;
  WithoutGil released;
  BorrowedContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &*context);
  if (!module)
    throw std::invalid_argument("this is not a module in lane form");
  auto kernel = compileForHost(*module, {.timing = timing}, /*optimized=*/false);
  if (!kernel)
    throw std::invalid_argument("the emulator cannot run this module: " + llvm::toString(kernel.takeError()));
  module = nullptr; // the module must be destroyed before its context returns to the pool
  if ((*kernel)->parameterCount() != parameters.size())
    throw std::invalid_argument("the kernel takes " + std::to_string((*kernel)->parameterCount()) +
                                " arguments, but has " + std::to_string(parameters.size()) + " names for them");
  return std::make_shared<EmulatedCode>(EmulatedCode{std::move(*kernel), std::move(parameters)});
}

/// Runs emulated code without the settings of hocket.emulator, for tests. LaunchValues.h describes `values`.
static void launchCode(const EmulatedCode &code, const GridSize &grid, const py::list &values, uint64_t seed,
                       unsigned threads, bool races, const std::string &completion) {
  if (values.size() != code.parameters.size())
    throw std::invalid_argument("the kernel takes " + std::to_string(code.parameters.size()) + " arguments, not " +
                                std::to_string(values.size()));
  LaunchValues given(values);
  const KernelLaunch launch = given.launch(grid);
  std::vector<Argument> arguments = argumentsOf(launch, code.parameters);
  for (const dispatch::Values::Wide &wide : given.wideValues())
    if (!arrayOf(arguments[wide.index]))
      arguments[wide.index] = WideArgument{std::string(wide.bytes)};
  run(*code.kernel, gridOf(launch), arguments,
      {.seed = seed, .threads = threads, .races = races, .completion = completionNamed(completion)}, py::none());
}

/// Returns (EmulatedDeviceKernel, its KernelFacts). The fields of EmulatedRequest in emulator/Kernel.h describe the
/// first five parameters. `settings` is the Python object of an EmulatorSettings.
static py::tuple loadEmulated(py::object function, std::string target, py::list constants, const py::object &options,
                              py::object compile, py::object settings) {
  auto kernel = std::make_unique<EmulatedDeviceKernel>(
      EmulatedRequest{.function = std::move(function),
                      .target = std::move(target),
                      .constants = std::move(constants),
                      .numWarps = options.attr("num_warps").cast<int>(),
                      .cooperative = options.attr("launch_cooperative_grid").cast<bool>(),
                      .compile = std::move(compile)},
      std::move(settings));
  py::object facts = kernel->facts();
  return py::make_tuple(std::move(kernel), std::move(facts));
}

/// Returns the C++ object in `self`, a Python object of type EmulatedDeviceKernel; null while `self` is being
/// constructed.
static EmulatedDeviceKernel *kernelOf(PyObject *self) {
  py::detail::value_and_holder found = reinterpret_cast<py::detail::instance *>(self)->get_value_and_holder();
  return found.value_ptr<EmulatedDeviceKernel>();
}

static void collectGarbage(PyHeapTypeObject *heapType) {
  PyTypeObject &type = heapType->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    EmulatedDeviceKernel *kernel = kernelOf(self);
    return kernel ? kernel->traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject *self) {
    if (EmulatedDeviceKernel *kernel = kernelOf(self))
      kernel->clear();
    return 0;
  };
}

static void bindUnwrittenMemory(py::module_ &module) {
  using emulator::UnwrittenMemory;
  py::class_<UnwrittenMemory, std::shared_ptr<UnwrittenMemory>>(module, "UnwrittenMemory", py::buffer_protocol())
      .def(py::init(&UnwrittenMemory::make), py::arg("bytes"))
      .def_buffer([](UnwrittenMemory &self) {
        return py::buffer_info(reinterpret_cast<uint8_t *>(self.begin()), py::ssize_t(self.size()));
      })
      .def_static("find", &UnwrittenMemory::find, py::arg("address"))
      .def("shadow", [](const std::shared_ptr<UnwrittenMemory> &self) {
        self->update();
        auto *begin = self->shadowAt(reinterpret_cast<uintptr_t>(self->begin()));
        return py::bytes(reinterpret_cast<const char *>(begin), self->size());
      });
}

void bindEmulator(py::module_ &module) {
  bindUnwrittenMemory(module);
  py::class_<EmulatedCode, std::shared_ptr<EmulatedCode>>(module, "EmulatedKernel")
      .def("launch", &launchCode, py::arg("grid"), py::arg("values"), py::arg("seed"), py::arg("threads"),
           py::arg("races"), py::arg("completion"));
  py::class_<EmulatorSettings>(module, "EmulatorSettings")
      .def(py::init<py::object, py::object, py::object, py::object, py::object, py::object>(), py::arg("schedule"),
           py::arg("watcher"), py::arg("recorder"), py::arg("printer"), py::arg("bank_counter"),
           py::arg("clock_start"));
  py::class_<EmulatedDeviceKernel, DeviceKernel>(module, "EmulatedDeviceKernel",
                                                 py::custom_type_setup(&collectGarbage));
  module.def("load_emulated", &loadEmulated, py::arg("function"), py::arg("target"), py::arg("constants"),
             py::arg("options"), py::arg("compile"), py::arg("settings"));
  module.def("compile_emulated", &compileEmulated, py::arg("function"), py::arg("types"), py::arg("values"),
             py::arg("target"), py::arg("options"), py::arg("timing") = false, py::arg("undefined") = false,
             py::arg("unwritten") = false, py::arg("optimized") = true);
  module.def("lane_form", &laneForm, py::arg("function"), py::arg("types"), py::arg("values"), py::arg("target"),
             py::arg("options"), py::arg("is_generic") = false);
  module.def("emulate_lane", &emulateLane, py::arg("text"), py::arg("parameters"), py::arg("timing") = false);
  auto testing = module.attr("testing").cast<py::module_>();
  testing.def(
      "replace_code", [](EmulatedCode &code, const EmulatedCode &by) { code.kernel = by.kernel; }, py::arg("kernel"),
      py::arg("by"), "Replaces the code of `kernel` by the code of `by`.");
}

} // namespace hocket::bindings
