//===- Compile.cpp - Runs the pass pipelines and collects the artifacts ------------===//
#include "pipeline/Compile.h"

#include "analysis/global/ArgumentAccesses.h"
#include "codegen/Codegen.h"
#include "codegen/llvm/LlvmErrors.h"
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/prof/ProfDialect.h"
#include "pipeline/Backend.h"
#include "pipeline/Pipeline.h"
#include "pipeline/ReadFacts.h"
#include "pipeline/UserDiagnostics.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace hocket {

namespace {
struct ArtifactFacts {
  Artifact artifact;
  std::string_view name;
  bool isOfVendor = false; ///< true for assembly text and machine code: only one vendor's back end produces them
};
} // namespace

static constexpr ArtifactFacts kArtifacts[] = {
    {Artifact::Hk, "hk"},
    {Artifact::Lane, "lane"},
    {Artifact::Llvm, "llvm"},
    {Artifact::Ptx, "ptx", true},
    {Artifact::Cubin, "cubin", true},
    {Artifact::Amdgcn, "amdgcn", true},
    {Artifact::Hsaco, "hsaco", true},
};

std::string_view artifactName(Artifact artifact) {
  for (const ArtifactFacts &facts : kArtifacts)
    if (facts.artifact == artifact)
      return facts.name;
  return {};
}

std::optional<Artifact> findArtifact(std::string_view name, const TargetInfo &target) {
  const Backend &backend = backendOf(target);
  for (const ArtifactFacts &facts : kArtifacts)
    if (facts.name == name &&
        (!facts.isOfVendor || facts.artifact == backend.assembly || facts.artifact == backend.machineCode))
      return facts.artifact;
  return std::nullopt;
}

namespace {
/// Prevents warnings about argument attributes of Hocket's dialects, which have no meaning in LLVM IR.
struct SilentExport : LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;
};
} // namespace

std::unique_ptr<MLIRContext> makeContext() {
  throwFatalErrors();
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  ub::UBDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect, hk::HkDialect,
                  hk_amd::HkAmdDialect, hk_nv::HkNvDialect, lane::LaneDialect, prof::ProfDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
  registry.addExtension(+[](MLIRContext *, hk::HkDialect *dialect) { dialect->addInterfaces<SilentExport>(); });
  registry.addExtension(+[](MLIRContext *, prof::ProfDialect *dialect) { dialect->addInterfaces<SilentExport>(); });
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  // Verifier messages do not contain the operation, because users can see these messages, but do not know the IR.
  context->printOpOnDiagnostic(false);
  return context;
}

/// Selects when a module is verified. In hocket-opt and for the emulator, the module is verified after each pass, so
/// that tests identify a faulty pass. For a GPU, verifying after each pass would take a tenth of the compilation time,
/// so the module is verified after each pipeline. LLVM's verifier checks the result of the last pipeline.
enum class Verifies { EachPass, Pipeline, Export };

/// Runs a pass pipeline, and returns the warnings that its passes report.
template <typename Build>
static std::vector<Diagnostic> runPipeline(ModuleOp module, const char *stage, Verifies verifies, Build build,
                                           CompileTrace *trace = nullptr) {
  beginStep(stage);
  UserDiagnostics diagnostics(module.getContext());
  PassManager pm(module.getContext());
  pm.enableVerifier(verifies == Verifies::EachPass);
  build(pm);
  if (trace)
    trace->watch(pm);
  if (failed(pm.run(module)) || (verifies == Verifies::Pipeline && failed(verify(module))))
    diagnostics.raise(std::string("the ") + stage + " pass pipeline failed without a diagnostic");
  return diagnostics.getWarnings();
}

static void requireFacts(ModuleOp module) {
  UserDiagnostics diagnostics(module.getContext());
  if (failed(hk::requireFacts(module)))
    diagnostics.raise("the module has no target");
}

namespace {
/// Properties of a kernel that are read after the tile pipeline, because the lane form does not contain these
/// properties.
struct TileFacts {
  std::vector<Diagnostic> warnings;
  std::vector<SyncSite> synchronization;
  ArgumentAccesses accesses;
};
} // namespace

static TileFacts runTilePipeline(ModuleOp module, Verifies verifies, CompileTrace *trace = nullptr) {
  std::vector<Diagnostic> warnings = runPipeline(module, "tile", verifies, buildTilePipeline, trace);
  return {std::move(warnings), takeSynchronization(module), argumentAccesses(module)};
}

static KernelFacts collectFacts(ModuleOp module, TileFacts ofTiles) {
  KernelFacts facts = readFacts(module);
  facts.warnings = std::move(ofTiles.warnings);
  facts.synchronization = std::move(ofTiles.synchronization);
  facts.readArguments = std::move(ofTiles.accesses.read);
  facts.writtenArguments = std::move(ofTiles.accesses.written);
  return facts;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static std::string printLlvm(llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// Returns the value of KernelFacts::userAssembly for `module`, which is in lane form: the location of the first inline
/// assembly that the user wrote. The assembly text is not parsed.
static std::vector<Diagnostic> findAssembly(ModuleOp module) {
  std::optional<Diagnostic> found;
  module.walk([&](LLVM::InlineAsmOp op) {
    if (op.getAsmString().empty()) // RocdlTargetLowering.cpp creates inline assembly without text
      return WalkResult::advance();
    found = hk::diagnosticAt(op.getLoc());
    found->message = "inline assembly";
    return WalkResult::interrupt();
  });
  return found && found->line != 0 ? std::vector{*found} : std::vector<Diagnostic>();
}

/// Throws an exception if `error`, the result of a step of the back end, is an error. If the user's kernel contains
/// inline assembly, the exception is a CompileError at the location of this assembly; otherwise an InternalError.
static void check(llvm::Error error, const KernelFacts &facts) {
  if (!error)
    return;
  std::string text = llvm::toString(std::move(error));
  if (facts.userAssembly.empty())
    throw InternalError(text);
  Diagnostic diagnostic = facts.userAssembly.front();
  diagnostic.message = "the assembler rejects this inline assembly";
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : ArrayRef(lines).take_front(2))
    diagnostic.notes.push_back({"said", line.str()});
  diagnostic.hint = "check its instructions and the letters of its constraints for this GPU";
  throw CompileError(diagnostic);
}

template <typename T>
static T check(llvm::Expected<T> result, const KernelFacts &facts) {
  check(result.takeError(), facts);
  return std::move(*result);
}

std::string assemblePtx(const std::string &ptx, const KernelFacts &facts) {
  return check(ptxToCubin(ptx, facts.target), facts);
}

static void request(ModuleOp module, LaneChecks checks) {
  if (checks.indices)
    hk::kChecksIndicesAttr.set(module);
  if (checks.bufferOffsets)
    hk::kChecksBufferOffsetsAttr.set(module);
}

KernelFacts lowerToLanes(ModuleOp module, LaneChecks checks) {
  requireFacts(module);
  TileFacts ofTiles = runTilePipeline(module, Verifies::EachPass);
  hk::kChecksSlotsAttr.set(module);
  request(module, checks);
  runPipeline(module, "lane", Verifies::EachPass, buildLanePipeline);
  return collectFacts(module, std::move(ofTiles));
}

static std::vector<std::string> skippedPassesOf(ModuleOp module) {
  std::vector<std::string> passes;
  for (llvm::StringRef name : llvm::split(hk::kSkipPassesAttr.get(module), ','))
    if (!name.empty())
      passes.push_back(name.str());
  return passes;
}

CompiledArtifacts compileForGpu(ModuleOp module, const std::set<Artifact> &wanted, LaneChecks checks,
                                CompileTrace *trace) {
  requireFacts(module);
  const TargetInfo &target = hk::targetOf(module);
  const Backend &backend = backendOf(target);
  CompiledArtifacts result;
  // `keep` stores the artifact of a compilation step if `wanted` contains the artifact. `keep` returns true if `wanted`
  // contains no later artifact, so that the compilation can end.
  auto wantsLaterThan = [&](Artifact artifact) { return wanted.upper_bound(artifact) != wanted.end(); };
  auto keep = [&](Artifact artifact, auto make) {
    if (wanted.count(artifact))
      result.texts[artifact] = make();
    return !wantsLaterThan(artifact);
  };
  TileFacts ofTiles = runTilePipeline(module, Verifies::Pipeline, trace);
  if (keep(Artifact::Hk, [&] { return print(module); })) {
    result.facts = collectFacts(module, std::move(ofTiles));
    return result;
  }
  request(module, checks);
  if (backend.writesMessages)
    hk::kWritesMessagesAttr.set(module);
  runPipeline(module, "lane", Verifies::Pipeline, buildLanePipeline, trace);
  result.facts = collectFacts(module, std::move(ofTiles));
  if (keep(Artifact::Lane, [&] { return print(module); }))
    return result;

  result.facts.userAssembly = findAssembly(module);
  runPipeline(module, "gpu", Verifies::Export, [&](OpPassManager &pm) { buildGpuPipeline(pm, target); }, trace);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule = timed(
      trace, "export to LLVM IR", [&] { return translateModuleToLLVMIR(module, *llvmContext, result.facts.name); });
  if (!llvmModule)
    throw InternalError("the lowered module does not export to LLVM IR");
  CodegenOptions options{.target = std::string(target.name), .skippedPasses = skippedPassesOf(module)};
  llvm::Error optimized = timed(trace, "optimize", [&] { return optimize(*llvmModule, options); });
  check(giveUpIfStopped(std::move(optimized), llvmModule, llvmContext), result.facts);
  if (keep(Artifact::Llvm, [&] { return printLlvm(*llvmModule); }))
    return result;

  auto selected = timed(trace, "select instructions", [&] { return emitAssembly(*llvmModule, options); });
  check(giveUpIfStopped(selected.takeError(), llvmModule, llvmContext), result.facts);
  const std::string &assembly = *selected;
  if (keep(backend.assembly, [&] { return assembly; }))
    return result;
  keep(backend.machineCode, [&] {
    return check(timed(trace, backend.assembleStep, [&] { return backend.assemble(assembly, options); }), result.facts);
  });
  return result;
}

} // namespace hocket
