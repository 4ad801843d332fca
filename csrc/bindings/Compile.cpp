//===- Compile.cpp - Compilation of kernels from Python ----------------------------===//
#include "bindings/Bindings.h"
#include "bindings/Interruptible.h"
#include "bindings/KernelFacts.h"
#include "bindings/KernelRequests.h"
#include "bindings/Presence.h"
#include "codegen/Codegen.h"
#include "frontend/Signature.h"
#include "mlir/Parser/Parser.h"
#include "support/CompileError.h"
#include "support/Steps.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {
/// Data of the compilation steps after the front end, which need no Python objects.
struct Compilation {
  BorrowedContext context; // declared first, so that the context is destroyed after `emitted`
  frontend::EmittedModule emitted;
  std::set<Artifact> wanted;
  LaneChecks checks;
  std::optional<CompileTrace> trace;
  CompiledArtifacts compiled;

  void run() {
    compiled = compileForGpu(*emitted.module, wanted, checks, trace ? &*trace : nullptr);
    emitted.module = nullptr; // the module must be destroyed before its context returns to the pool
  }
};
} // namespace

static void run(const std::shared_ptr<Compilation> &compilation) {
  runInterruptibly([compilation] { compilation->run(); });
}

/// Runs the compilation with a copy of `trace`. Copies the recorded data to `trace` even if the compilation fails.
static void run(const std::shared_ptr<Compilation> &compilation, CompileTrace &trace) {
  compilation->trace = trace;
  try {
    run(compilation);
  } catch (const py::error_already_set &) {
    throw; // Ctrl-C: the recorded data are not copied, because the worker thread still writes them
  } catch (...) {
    trace = *compilation->trace;
    throw;
  }
  trace = *compilation->trace;
}

/// Adds the artifacts with these names to `wanted`. Throws std::invalid_argument for a name that is unknown for
/// `target`.
static void readWanted(const std::vector<std::string> &names, const TargetInfo &target, std::set<Artifact> &wanted) {
  for (const std::string &name : names) {
    auto artifact = findArtifact(name, target);
    if (!artifact)
      throw std::invalid_argument("target " + std::string(target.name) + " has no artifact `" + name + "`");
    wanted.insert(*artifact);
  }
}

static py::dict artifactsByName(const CompiledArtifacts &compiled) {
  py::dict artifacts;
  for (const auto &[artifact, bytes] : compiled.texts)
    artifacts[py::str(std::string(artifactName(artifact)))] = py::bytes(bytes);
  return artifacts;
}

/// Compiles a kernel, and returns (KernelFacts, dictionary from artifact names to bytes).
static py::tuple compile(py::object function, py::list types, py::list values, const std::string &target,
                         py::object options, const std::vector<std::string> &wantedNames, CompileTrace *trace) {
  Compiling compiling;
  frontend::KernelRequest request = makeRequest(std::move(function), types, values, target, options);
  auto compilation = std::make_shared<Compilation>();
  readWanted(wantedNames, *request.target, compilation->wanted);
  compilation->checks.indices = request.options.debug;
  compilation->emitted = frontend::emitModule(*compilation->context, request);
  std::vector<Diagnostic> warnings = warningsOfLaunch(*compilation->emitted.module, options);
  if (trace)
    run(compilation, *trace);
  else
    run(compilation);

  CompiledArtifacts &compiled = compilation->compiled;
  completeFacts(compiled.facts, namesOf(compilation->emitted.parameters), options, warnings);
  py::dict artifacts = artifactsByName(compiled);
  return py::make_tuple(std::move(compiled.facts), artifacts);
}

/// Runs the front end, and returns (hk IR as text with all locations, names of the kernel's parameters). From this
/// result, another process can continue the compilation without the Python function and its arguments.
static py::tuple emitToGoOn(py::object function, py::list types, py::list values, const std::string &target,
                            py::object options) {
  Compiling compiling;
  frontend::KernelRequest request = makeRequest(std::move(function), types, values, target, options);
  BorrowedContext context;
  frontend::EmittedModule emitted = frontend::emitModule(*context, request);
  std::string text;
  llvm::raw_string_ostream stream(text);
  emitted.module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return py::make_tuple(text, namesOf(emitted.parameters));
}

/// Compiles the module that `emitToGoOn` has emitted as text, possibly in another process, and returns the result that
/// `compile` would return. Both processes must run the same build of Hocket and pass the same target and options.
static py::tuple compileEmitted(const std::string &text, const std::vector<std::string> &parameters,
                                const std::string &target, py::object options,
                                const std::vector<std::string> &wantedNames) {
  Compiling compiling;
  const TargetInfo *info = findTarget(target);
  if (!info)
    throw std::invalid_argument("unknown target `" + target + "`");
  auto compilation = std::make_shared<Compilation>();
  readWanted(wantedNames, *info, compilation->wanted);
  compilation->checks.indices = options.attr("debug").cast<bool>();
  compilation->emitted.module = mlir::parseSourceString<mlir::ModuleOp>(text, &*compilation->context);
  if (!compilation->emitted.module)
    throw std::invalid_argument("the text is not a module that the front end of this build emitted");
  std::vector<Diagnostic> warnings = warningsOfLaunch(*compilation->emitted.module, options);
  run(compilation);
  CompiledArtifacts &compiled = compilation->compiled;
  completeFacts(compiled.facts, parameters, options, warnings);
  py::dict artifacts = artifactsByName(compiled);
  return py::make_tuple(std::move(compiled.facts), artifacts);
}

/// Runs the front end, and returns the hk IR as text, for reports of internal errors.
static std::string emit(py::object function, py::list types, py::list values, const std::string &target,
                        py::object options) {
  Compiling compiling;
  frontend::KernelRequest request = makeRequest(std::move(function), types, values, target, options);
  BorrowedContext context;
  std::string text;
  llvm::raw_string_ostream stream(text);
  frontend::emitModule(*context, request).module->print(stream);
  return text;
}

void bindCompile(py::module_ &module) {
  module.def("codegen_passes", [] {
    std::vector<std::string> names;
    for (llvm::StringRef name : codegenPassNames())
      names.push_back(name.str());
    return names;
  });
  module.def("set_machine_verifier", &setMachineVerifier, py::arg("on"));

  py::class_<CompileTrace>(module, "CompileTrace")
      .def(py::init([](std::string printAfter) { return CompileTrace{std::move(printAfter), "", {}}; }),
           py::arg("print_after") = "")
      .def_readonly("printed", &CompileTrace::printed)
      .def_readonly("seconds", &CompileTrace::seconds);
  module.def("emit", &emit, py::arg("function"), py::arg("types"), py::arg("values"), py::arg("target"),
             py::arg("options"));
  module.def("compile", &compile, py::arg("function"), py::arg("types"), py::arg("values"), py::arg("target"),
             py::arg("options"), py::arg("wanted"), py::arg("trace") = nullptr);
  module.def("emit_to_go_on", &emitToGoOn, py::arg("function"), py::arg("types"), py::arg("values"), py::arg("target"),
             py::arg("options"));
  module.def("compile_emitted", &compileEmitted, py::arg("text"), py::arg("parameters"), py::arg("target"),
             py::arg("options"), py::arg("wanted"));
  module.def(
      "check_signature", [](const std::string &text) { frontend::parseArgument(text); }, py::arg("text"),
      "ValueError with the reason when `text` is not the type of an argument, such as '*f32:16'.");
  module.def(
      "artifacts",
      [](const std::string &target) {
        const TargetInfo *info = findTarget(target);
        std::vector<std::string> names;
        for (auto artifact : {Artifact::Hk, Artifact::Lane, Artifact::Llvm, Artifact::Ptx, Artifact::Cubin,
                              Artifact::Amdgcn, Artifact::Hsaco})
          if (info && findArtifact(artifactName(artifact), *info))
            names.emplace_back(artifactName(artifact));
        return names;
      },
      py::arg("target"), "Names of the artifacts of a compilation for `target`, in order; [] for unknown targets.");
  module.attr("llvm_version") = LLVM_VERSION_STRING;
  module.def(
      "cubin_assembler", [](const std::string &ptx) { return cubinAssemblerName(ptx); }, py::arg("ptx") = "",
      py::call_guard<WithoutGil>());
  module.def(
      "set_cuda_toolchain",
      [](std::vector<std::string> folders, int newestMajor) {
        setCudaToolchain({std::move(folders), newestMajor});
        prefetchCubinAssembler();
      },
      py::arg("folders"), py::arg("newest_major"), py::call_guard<WithoutGil>());
  py::module_ testing = module.def_submodule("testing", "Hooks of Hocket's own tests.");
  testing.def("hold_compilations_at", &holdAt, py::arg("step"),
              "Holds the next compilation that reaches this step until this is called again with \"\".");
  testing.def("is_compilation_held", &isHeld, "True if a compilation is held.");
  module.def("finish_prefetch", &finishPrefetch, py::call_guard<WithoutGil>());
  module.def(
      "ptx_to_cubin",
      [](const std::string &ptx, const KernelFacts &facts) {
        Compiling compiling;
        auto cubin = std::make_shared<std::string>();
        runInterruptibly([cubin, ptx, facts] { *cubin = assemblePtx(ptx, facts); });
        return py::bytes(*cubin);
      },
      py::arg("ptx"), py::arg("facts"));
}

} // namespace hocket::bindings
