//===- HostCode.cpp - Compiles LLVM IR to machine code in this process ------------------------===//
//
// One ORC session serves the whole process. The session is never destroyed, because kernels may live until the process
// ends. This file runs the code generator itself instead of an ORC compile layer, because the code generator also
// reports the frame size.
//
//===------------------------------------------------------------------------------===//
#include "emulator/host/HostCode.h"

#include "codegen/llvm/LlvmErrors.h"
#include "codegen/llvm/LlvmTargets.h"
#include "codegen/llvm/PassGate.h"
#include "emulator/host/LibraryCalls.h"
#include "emulator/host/RuntimeCalls.h"
#include "emulator_abi/HostAbi.h"
#include "support/Steps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <atomic>
#include <mutex>

namespace hocket::emulator {

namespace {

class Session {
public:
  static llvm::Expected<Session &> get() {
    static std::mutex mutex;
    static Session *session = nullptr;
    std::lock_guard lock(mutex);
    if (!session) {
      auto control = llvm::orc::SelfExecutorProcessControl::Create();
      if (!control)
        return control.takeError();
      auto created = std::make_unique<Session>(std::move(*control));
      if (llvm::Error error = created->defineFunctions())
        return std::move(error);
      session = created.release();
    }
    return *session;
  }

  explicit Session(std::unique_ptr<llvm::orc::ExecutorProcessControl> control)
      : session(std::move(control)), linker(session), functions(session.createBareJITDylib("hocket")) {}

  /// Links `object` into a new `library`, and returns the address of `symbol` in the library.
  llvm::Expected<void *> link(std::unique_ptr<llvm::MemoryBuffer> object, const char *symbol,
                              llvm::orc::JITDylib *&library) {
    library = &session.createBareJITDylib("kernel" + std::to_string(count++));
    library->addToLinkOrder(functions);
    if (llvm::Error error = linker.add(*library, std::move(object)))
      return std::move(error);
    return find(*library, symbol);
  }

  llvm::Expected<void *> find(llvm::orc::JITDylib &library, llvm::StringRef symbol) {
    auto found = session.lookup({&library}, symbol);
    if (!found)
      return found.takeError();
    return found->getAddress().toPtr<void *>();
  }

  void remove(llvm::orc::JITDylib &library) { llvm::cantFail(session.removeJITDylib(library)); }

private:
  llvm::Error defineFunctions() {
    llvm::orc::SymbolMap symbols;
    for (auto table : {runtimeCalls(), libraryCalls()})
      for (const NamedFunction &function : table)
        symbols[session.intern(function.name)] = {llvm::orc::ExecutorAddr::fromPtr(function.address),
                                                  llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    return functions.define(llvm::orc::absoluteSymbols(std::move(symbols)));
  }

  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer linker;
  llvm::orc::JITDylib &functions;
  std::atomic<uint64_t> count = 0;
};

struct HostCpu {
  std::string triple, name, features;
  const llvm::Target *target = nullptr;

  static const HostCpu &get() {
    static const HostCpu cpu = [] {
      registerLlvmTargets();
      HostCpu host;
      host.triple = llvm::sys::getProcessTriple();
      host.name = llvm::sys::getHostCPUName().str();
      for (const auto &[feature, present] : llvm::sys::getHostCPUFeatures())
        host.features += std::string(present ? "+" : "-") + feature.str() + ",";
      // Disables avx512bf16, avxneconvert and avx10.2, whose conversions flush subnormal bfloat16 numbers to 0, unlike
      // GPUs. Disables avx512fp16, with which LLVM 22 converts a float16 NaN to the int16 -32768
      // (llvm.fptosi.sat.i16.f16).
      host.features += "-avx512bf16,-avxneconvert,-avx10.2,-avx512fp16";
      std::string error;
      host.target = llvm::TargetRegistry::lookupTarget(llvm::Triple(host.triple), error);
      return host;
    }();
    return cpu;
  }
};

/// Obtains the size of the kernel's stack frame from a warning of the code generator.
class FrameSizeListener : public llvm::DiagnosticHandler {
public:
  explicit FrameSizeListener(size_t &total) : total(total) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (const auto *frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
      total += frame->getStackSize();
      return true;
    }
    return info.getSeverity() == llvm::DS_Remark || info.getSeverity() == llvm::DS_Note;
  }

private:
  size_t &total;
};

} // namespace

/// Replaces maxnum and minnum by code that computes the results of GPUs: if one operand is NaN, the result is the other
/// operand; -0 is less than +0. LLVM permits either zero as the result for -0 and +0. The host's result depends on the
/// operand order, so lanes that reduce the same elements could get different results. The intrinsics maximumnum and
/// minimumnum have the required semantics, but on hosts with AVX-512, LLVM 22 miscompiles them: the result for a NaN
/// and an operand that is known to be a number is NaN. Therefore comparisons select the result for NaNs, and the
/// intrinsics maximum and minimum compute the result for zeros.
static void orderZeros(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::Intrinsic::ID propagating = llvm::StringSwitch<llvm::Intrinsic::ID>(function.getName().take_front(12))
                                          .Case("llvm.maxnum.", llvm::Intrinsic::maximum)
                                          .Case("llvm.minnum.", llvm::Intrinsic::minimum)
                                          .Default(llvm::Intrinsic::not_intrinsic);
    if (propagating == llvm::Intrinsic::not_intrinsic)
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> builder(call);
      llvm::Value *x = call->getArgOperand(0), *y = call->getArgOperand(1);
      llvm::Value *extremum = builder.CreateBinaryIntrinsic(propagating, x, y);
      llvm::Value *numberOfX = builder.CreateSelect(builder.CreateFCmpUNO(y, y), x, extremum);
      call->replaceAllUsesWith(builder.CreateSelect(builder.CreateFCmpUNO(x, x), y, numberOfX));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef, llvm::Any) { return !isAbandoned(); });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

llvm::Expected<std::unique_ptr<HostCode>> HostCode::compile(llvm::Module &module, bool isOptimized) {
  const HostCpu &cpu = HostCpu::get();
  if (!cpu.target)
    return llvm::createStringError("no code generator for this host (%s)", cpu.triple.c_str());
  llvm::TargetOptions options;
  auto level = isOptimized ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None;
  std::unique_ptr<llvm::TargetMachine> machine(
      cpu.target->createTargetMachine(llvm::Triple(cpu.triple), cpu.name, cpu.features, options, llvm::Reloc::PIC_,
                                      llvm::CodeModel::Small, level, /*JIT=*/true));
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(llvm::Triple(cpu.triple));
  std::unique_ptr<HostCode> code(new HostCode());
  module.getContext().setDiagnosticHandler(std::make_unique<FrameSizeListener>(code->frame));
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("warn-stack-size", "0");
      function.addFnAttr(llvm::Attribute::NoUnwind);
    }

  auto giveUpIfStopped = [&](llvm::Error error) {
    if (error.isA<LlvmStopped>())
      (void)machine.release();
    return error;
  };
  orderZeros(module);
  if (isOptimized)
    if (llvm::Error error = giveUpIfStopped(runLlvm(module.getContext(), [&] { optimize(module, *machine); })))
      return std::move(error);
  beginStep("host instructions");
  PassGate choice(module);
  llvm::SmallVector<char, 0> object;
  bool fails = false;
  llvm::Error error = giveUpIfStopped(runLlvm(module.getContext(), [&] {
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager generator;
    llvm::MCContext *context = nullptr;
    fails = machine->addPassesToEmitMC(generator, context, stream, /*DisableVerify=*/true);
    if (!fails)
      generator.run(module);
  }));
  if (error)
    return std::move(error);
  if (fails)
    return llvm::createStringError("no code generator for this host (%s)", cpu.triple.c_str());

  llvm::Expected<Session &> session = Session::get();
  if (!session)
    return session.takeError();
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), /*RequiresNullTerminator=*/false);
  llvm::Expected<void *> entry = session->link(std::move(buffer), host_abi::kKernelSymbol, code->library);
  if (!entry)
    return entry.takeError();
  code->entryAddress = *entry;
  return code;
}

llvm::Expected<std::byte *> HostCode::find(const std::string &variable) const {
  llvm::Expected<void *> found = llvm::cantFail(Session::get()).find(*library, variable);
  if (!found)
    return found.takeError();
  return static_cast<std::byte *>(*found);
}

HostCode::~HostCode() {
  if (library)
    llvm::cantFail(Session::get()).remove(*library);
}

} // namespace hocket::emulator
