//===- Emulator.cpp - Execution of kernels on the emulator from Python --------------===//
#include "emulator/Emulator.h"
#include "bindings/Bindings.h"
#include "bindings/Errors.h"
#include "bindings/Interruptible.h"
#include "bindings/KernelFacts.h"
#include "bindings/KernelRequests.h"
#include "bindings/Presence.h"
#include "emulator/run/UnwrittenMemory.h"
#include "mlir/Parser/Parser.h"
#include "pipeline/CompileForHost.h"
#include "support/CompileError.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// The callable that Python launches: the kernel and the names of its parameters.
struct EmulatedLauncher {
  std::unique_ptr<EmulatedKernel> kernel;
  std::vector<std::string> parameters;
};

/// Data of a compilation from the point where the front end no longer needs Python's objects.
struct EmulatedCompilation {
  LaneChecks checks;
  HostCodeOptions options;
  bool optimized;
  BorrowedContext context; // first: destroyed after the objects that live in it
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
    emitted.module = nullptr; // destroyed before the context returns to the pool
  }
};

} // namespace

/// Returns (facts about the kernel, launcher), with the arguments of `compile`. `undefined`: launches detect uses of
/// undefined bits, and negative offsets of buffer accesses. `unwritten`: launches also detect uses of UnwrittenMemory.
/// If `optimized` is false, the code compiles faster and runs slower.
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
  auto launcher =
      std::make_unique<EmulatedLauncher>(EmulatedLauncher{std::move(compilation->kernel), facts.parameters});
  return py::make_tuple(std::move(facts), std::move(launcher));
}

/// Returns (facts about the kernel, its lane form with all locations), which tests edit and pass to `emulateLane`.
static py::tuple laneForm(py::object function, py::list types, py::list values, const std::string &target,
                          py::object options) {
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
    emitted.module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
    emitted.module = nullptr; // destroyed before the context returns to the pool, without the GIL
  }
  completeFacts(facts, namesOf(emitted.parameters), options, warnings);
  return py::make_tuple(std::move(facts), text);
}

/// Returns a launcher for `text`, a module in lane form: the artifact "lane" or a result of `laneForm`.
static std::unique_ptr<EmulatedLauncher> emulateLane(const std::string &text, std::vector<std::string> parameters,
                                                     bool timing) {
  Compiling compiling;
  WithoutGil released;
  BorrowedContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &*context);
  if (!module)
    throw std::invalid_argument("this is not a module in lane form");
  auto kernel = compileForHost(*module, {.timing = timing});
  if (!kernel)
    throw std::invalid_argument("the emulator cannot run this module: " + llvm::toString(kernel.takeError()));
  module = nullptr; // destroyed before the context returns to the pool
  if ((*kernel)->parameterCount() != parameters.size())
    throw std::invalid_argument("the kernel takes " + std::to_string((*kernel)->parameterCount()) +
                                " arguments, but has " + std::to_string(parameters.size()) + " names for them");
  return std::make_unique<EmulatedLauncher>(EmulatedLauncher{std::move(*kernel), std::move(parameters)});
}

/// Reads a tuple (address, bytes, writable, dtype's name, bytes before the address, dimensions if there are gaps).
static ArrayArgument readArray(const std::string &name, py::handle value) {
  using Dimensions = std::vector<std::pair<int64_t, int64_t>>;
  auto [address, bytes, writable, dtype, bytesBefore, dimensions] =
      value.cast<std::tuple<uintptr_t, size_t, bool, std::string, size_t, Dimensions>>();
  ArrayArgument array = {name, reinterpret_cast<void *>(address), bytes, writable, std::move(dtype), bytesBefore};
  for (auto [size, strideBytes] : dimensions)
    array.dimensions.push_back({size, strideBytes});
  return array;
}

/// Reads the values of arguments. Each is an int (the bits of a scalar), bytes (a value wider than 64 bits), a tuple
/// (host memory, see readArray) or a list [bytes, tuple] (a tensor map and the memory that it describes).
static std::vector<Argument> readArguments(const EmulatedLauncher &launcher, const py::list &values) {
  if (values.size() != launcher.parameters.size())
    throw std::invalid_argument("the kernel takes " + std::to_string(launcher.parameters.size()) + " arguments, not " +
                                std::to_string(values.size()));
  std::vector<Argument> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    py::object value = values[i];
    if (py::isinstance<py::bytes>(value))
      arguments.push_back(WideArgument{value.cast<std::string>()});
    else if (py::isinstance<py::list>(value))
      arguments.push_back(WideArgument{py::object(value[py::int_(0)]).cast<std::string>(),
                                       readArray(launcher.parameters[i], value[py::int_(1)])});
    else if (py::isinstance<py::tuple>(value))
      arguments.push_back(readArray(launcher.parameters[i], value));
    else
      arguments.push_back(ScalarArgument{value.cast<uint64_t>()});
  }
  return arguments;
}

static const char *errorClassName(FailureKind kind) {
  switch (kind) {
  case FailureKind::OutOfBounds:
    return "OutOfBoundsError";
  case FailureKind::Misaligned:
    return "MisalignedAccessError";
  case FailureKind::ReadOnly:
    return "ReadOnlyArrayError";
  case FailureKind::DivisionByZero:
    return "DivisionByZeroError";
  case FailureKind::Assertion:
    return "DeviceAssertError";
  case FailureKind::Index:
    return "InvalidIndexError";
  case FailureKind::Undefined:
    return "UndefinedValueError";
  case FailureKind::Deadlock:
    return "DeadlockError";
  case FailureKind::Race:
    return "RaceError";
  case FailureKind::Mbarrier:
    return "MbarrierError";
  case FailureKind::Coordinate:
  case FailureKind::Descriptor:
  case FailureKind::UnfinishedCopy:
  case FailureKind::BarrierAgain:
  case FailureKind::ClusterBarrier:
  case FailureKind::EndedBlock:
  case FailureKind::NotUniform:
  case FailureKind::Interrupted:
    break;
  }
  return "EmulatorError";
}

/// Raises the exception class of `failure` with its text; the parts of the diagnostic become attributes.
[[noreturn]] static void raise(const Failure &failure) {
  const Diagnostic &diagnostic = failure.diagnostic;
  py::object type = py::module_::import("hocket.errors").attr(errorClassName(failure.kind));
  py::object error = type(renderWithSource(diagnostic));
  error.attr("message") = diagnostic.message;
  if (diagnostic.line > 0) {
    error.attr("filename") = diagnostic.file;
    error.attr("lineno") = diagnostic.line;
  }
  error.attr("block") = py::make_tuple(failure.block[0], failure.block[1], failure.block[2]);
  error.attr("warp") = failure.warp;
  error.attr("lane") = failure.lane;
  if (!failure.array.empty()) {
    error.attr("array") = failure.array;
    error.attr("address") = failure.address;
    error.attr("index") = failure.index;
  }
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

/// True if the process is exiting, or Ctrl-C was pressed; the exception is then set.
static bool isInterrupted() {
  if (isExiting())
    return true;
  py::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

static Completion completionNamed(const std::string &name) {
  if (name == "late")
    return Completion::Late;
  if (name == "random")
    return Completion::Random;
  if (name == "now")
    return Completion::Now;
  throw std::invalid_argument("no such completion: " + name); // Python has checked it
}

static const char *nameOf(SliceKind kind) {
  static constexpr const char *names[] = {"stage",       "arithmetic",   "matrix", "shared load", "shared store",
                                          "global load", "global store", "atomic", "copy",        "shuffle",
                                          "wait",        "barrier",      "product"};
  return names[size_t(kind)];
}

/// Returns (file, line, "load" or "store", bytes, accesses, wavefronts, ideal wavefronts) of each source location, if
/// counting is enabled, and (block, warp, kind, label, count, file, line, begin, end) of each time slice of the
/// recorded blocks. `show` receives the kernel's output, if there is any.
static py::tuple launch(const EmulatedLauncher &launcher, Grid grid, const py::list &values, uint64_t seed,
                        unsigned threads, bool races, const std::string &completion, bool countBanks,
                        uint64_t recordedBlocks, const py::object &show, bool cooperative, bool keepsTime,
                        uint64_t clockStart, uintptr_t profile) {
  std::vector<Argument> arguments = readArguments(launcher, values);
  LaunchOptions options = {.seed = seed,
                           .threads = threads,
                           .races = races,
                           .completion = completionNamed(completion),
                           .countBanks = countBanks,
                           .recordedBlocks = recordedBlocks,
                           .keepsTime = keepsTime,
                           .clockStart = clockStart,
                           .profile = reinterpret_cast<void *>(profile),
                           .cooperative = cooperative,
                           .shouldStop = isInterrupted};
  LaunchResult result;
  {
    WithoutGil released;
    result = launcher.kernel->launch(grid, arguments, options);
  }
  if (PyErr_Occurred())
    throw py::error_already_set();
  if (!result.printed.empty() && !show.is_none())
    show(py::bytes(result.printed).attr("decode")("utf-8", "replace"));
  if (result.failure)
    raise(*result.failure);
  py::list counts;
  for (const BankCount &count : result.bankCounts)
    counts.append(py::make_tuple(count.file, count.line, count.isLoad ? "load" : "store", count.bytes, count.accesses,
                                 count.actual, count.ideal));
  py::list slices;
  for (const TimelineSlice &slice : result.timeline)
    slices.append(py::make_tuple(slice.block, slice.warp, nameOf(slice.kind), slice.label, slice.count, slice.file,
                                 slice.line, slice.begin, slice.end));
  return py::make_tuple(counts, slices);
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
  py::class_<EmulatedLauncher>(module, "EmulatedKernel")
      .def("launch", &launch, py::arg("grid"), py::arg("values"), py::arg("seed"), py::arg("threads"), py::arg("races"),
           py::arg("completion"), py::arg("count_banks") = false, py::arg("recorded_blocks") = 0,
           py::arg("show") = py::none(), py::arg("cooperative") = false, py::arg("keeps_time") = false,
           py::arg("clock_start") = 0, py::arg("profile") = 0)
      .def_property_readonly("workers", [](const EmulatedLauncher &self) { return self.kernel->workers(); });
  module.def("compile_emulated", &compileEmulated, py::arg("function"), py::arg("types"), py::arg("values"),
             py::arg("target"), py::arg("options"), py::arg("timing") = false, py::arg("undefined") = false,
             py::arg("unwritten") = false, py::arg("optimized") = true);
  module.def("lane_form", &laneForm, py::arg("function"), py::arg("types"), py::arg("values"), py::arg("target"),
             py::arg("options"));
  module.def("emulate_lane", &emulateLane, py::arg("text"), py::arg("parameters"), py::arg("timing") = false);
}

} // namespace hocket::bindings
