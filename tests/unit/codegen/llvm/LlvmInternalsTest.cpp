//===- LlvmInternalsTest.cpp - The names of LLVM's internals exist in the linked LLVM ---------------===//
#include "codegen/llvm/LlvmInternals.h"
#include "../Kernels.h"
#include "codegen/llvm/LlvmTargets.h"
#include "codegen/llvm/TargetMachines.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

using namespace hocket;
using namespace hocket::test;

/// Names of all of AMDGPU's opcodes.
static llvm::StringSet<> opcodes() {
  llvm::LLVMContext context;
  auto module = parse(vectorAddIr(false), context);
  CodegenOptions options{.target = "gfx942"};
  llvm::cantFail(optimize(*module, options));
  llvm::TargetMachine *machine = llvm::cantFail(getTargetMachine(options));
  const auto &instructions = *machine->getSubtargetImpl(*module->getFunction("add"))->getInstrInfo();
  llvm::StringSet<> names;
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    names.insert(instructions.getName(opcode));
  return names;
}

TEST(LlvmInternals, OpcodesExist) {
  llvm::StringSet<> names = opcodes();
  for (llvm::StringRef name : llvm_names::kOpcodes)
    EXPECT_TRUE(names.contains(name)) << name.str();
}

TEST(LlvmInternals, OpcodePrefixesExist) {
  llvm::StringSet<> names = opcodes();
  auto expectOne = [&](llvm::StringRef prefix) {
    EXPECT_TRUE(llvm::any_of(names.keys(), [&](llvm::StringRef name) { return name.starts_with(prefix); }))
        << prefix.str();
  };
  llvm::for_each(llvm_names::kOpcodePrefixes, expectOne);
  llvm::for_each(llvm_names::kTranscendental, expectOne);
}

TEST(LlvmInternals, IntrinsicsExist) {
  EXPECT_TRUE(llvm::Intrinsic::getBaseName(llvm::Intrinsic::amdgcn_mfma_f32_16x16x16f16)
                  .starts_with(llvm_names::kMfmaIntrinsic));
  EXPECT_EQ(llvm::Intrinsic::getBaseName(llvm::Intrinsic::amdgcn_sched_barrier), llvm_names::kSchedBarrierIntrinsic);
}

namespace {

/// Records the passes that a pass gate is queried for, and runs all of them.
class RecordingGate : public llvm::OptPassGate {
public:
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    names.insert(pass);
    return true;
  }
  bool isEnabled() const override { return true; }

  mutable llvm::StringSet<> names;
};

} // namespace

/// A kernel with a loop, so that LLVM's passes over loops also run.
static std::string loopIr(bool nvidia) {
  std::string lane = nvidia ? "@llvm.nvvm.read.ptx.sreg.tid.x()" : "@llvm.amdgcn.workitem.id.x()";
  return "declare i32 " + lane + "\ndefine " + (nvidia ? "ptx_kernel" : "amdgpu_kernel") +
         " void @f(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out, i32 %n) {\n"
         "entry:\n  %lane = call i32 " +
         lane +
         "\n  br label %loop\n"
         "loop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n  %s = phi float [ 0.0, %entry ], [ %t, %loop ]\n"
         "  %k = mul i32 %i, %lane\n  %at = getelementptr float, ptr addrspace(1) %p, i32 %k\n"
         "  %v = load float, ptr addrspace(1) %at\n  %t = fadd float %s, %v\n  %j = add i32 %i, 1\n"
         "  %more = icmp slt i32 %j, %n\n  br i1 %more, label %loop, label %end\n"
         "end:\n  %to = getelementptr float, ptr addrspace(1) %out, i32 %lane\n"
         "  store float %t, ptr addrspace(1) %to\n  ret void\n}\n";
}

TEST(LlvmInternals, CodegenPassesExist) {
  // The pass gate of AMD kernels skips some of the passes before this gate sees them.
  llvm::StringSet<> names;
  for (const char *target : {"gfx942", "sm_90a"}) {
    llvm::LLVMContext context;
    RecordingGate gate;
    context.setOptPassGate(gate);
    auto module = parse(loopIr(llvm::StringRef(target) == "sm_90a"), context);
    CodegenOptions options{.target = target};
    llvm::cantFail(optimize(*module, options));
    EXPECT_TRUE(bool(emitAssembly(*module, options)));
    for (llvm::StringRef name : gate.names.keys())
      names.insert(name);
  }
  for (llvm::StringRef name : llvm_names::kCodegenPasses)
    EXPECT_TRUE(names.contains(name)) << name.str();
}

TEST(LlvmInternals, OptimizerPassesExist) {
  llvm::StringSet<> names;
  llvm::LLVMContext context;
  auto module = parse(loopIr(false), context);
  llvm::TargetMachine *machine = llvm::cantFail(getTargetMachine({.target = "gfx942"}));
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([&](llvm::StringRef pass, llvm::Any) {
    names.insert(pass);
    return true;
  });
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(machine, tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(*module, modules);
  for (llvm::StringRef name : llvm_names::kOptimizerPasses)
    EXPECT_TRUE(names.contains(name)) << name.str();
}

TEST(LlvmInternals, OptionsExist) {
  for (llvm::StringRef name : llvm_names::kOptions)
    EXPECT_TRUE(llvm::cl::getRegisteredOptions().lookup(name)) << name.str();
}
