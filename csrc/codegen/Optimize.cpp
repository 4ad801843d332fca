//===- Optimize.cpp - The LLVM optimization passes of a GPU kernel ----------------===//
//
// Runs LLVM's -O3 pass list or, for CDNA kernels with MFMA, a shorter pass list. Kernels with MFMA are the largest
// kernels, and most passes of the -O3 list do not change these kernels: MLIR has folded constants, the lowering orders
// addresses, and kernels have no stack memory to optimize. One of the omitted passes is the SLP vectorizer, which packs
// floats that ScalarizeF32BesideMfma.h would unpack again. The omitted passes would take a third of LLVM's compile
// time, and would not change the number of instructions in any loop of hocket.kernels (benchmarks/isa.py).
//
//===------------------------------------------------------------------------------===//
#include "codegen/Codegen.h"
#include "codegen/amd/Passes.h"
#include "codegen/amd/ir/Mfma.h"
#include "codegen/llvm/LlvmInternals.h"
#include "codegen/llvm/LongBlocks.h"
#include "codegen/llvm/TargetMachines.h"
#include "support/Steps.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace hocket {

/// Returns the short pass list for CDNA kernels with MFMA.
static ModulePassManager shortList(PassBuilder &builder) {
  ModulePassManager passes;
  FunctionPassManager early;
  early.addPass(SimplifyCFGPass());
  early.addPass(EarlyCSEPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(IPSCCPPass()); // finds value ranges of indices, which let divisions become shifts

  FunctionPassManager simplify;
  simplify.addPass(InstCombinePass());
  simplify.addPass(SimplifyCFGPass());
  LoopPassManager hoist;
  hoist.addPass(LoopRotatePass());
  // LICM's promotion of memory to registers is disabled by a limit of 0 accesses: LICM would compare all pairs of
  // accesses of a loop, and barriers prevent the promotion anyway.
  LICMOptions hoisting;
  hoisting.MssaNoAccForPromotionCap = 0;
  hoist.addPass(LICMPass(hoisting));
  simplify.addPass(createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  simplify.addPass(SimplifyCFGPass());
  LoopPassManager count;
  count.addPass(IndVarSimplifyPass());
  count.addPass(LoopDeletionPass());
  count.addPass(LoopFullUnrollPass());
  simplify.addPass(createFunctionToLoopPassAdaptor(std::move(count)));
  // GVN merges equal computations but not loads, because MLIR has already merged equal loads.
  simplify.addPass(GVNPass(GVNOptions().setMemDep(false)));
  simplify.addPass(SCCPPass());
  simplify.addPass(InstCombinePass());
  simplify.addPass(ADCEPass());
  simplify.addPass(DivRemPairsPass());
  simplify.addPass(SimplifyCFGPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
  // Adds the passes that the target's back end registers. On AMD, these passes find the implicit kernel arguments that
  // a kernel does not use.
  builder.invokeOptimizerLastEPCallbacks(passes, OptimizationLevel::O3, ThinOrFullLTOPhase::None);
  return passes;
}

Error optimize(Module &module, const CodegenOptions &options) {
  auto machine = getTargetMachine(options);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (module.getTargetTriple().isAMDGPU())
    runAmdPassesBeforeOptimizations(module, options);

  return runLlvm(options, module, [&] {
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = false;
    tuning.SLPVectorization = true;
    PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback([](StringRef pass, Any what) {
      const auto *function = llvm::any_cast<const Function *>(&what);
      bool isTooLong = pass == llvm_names::kSlpVectorizer && function && hasLongBlocks(**function);
      // UniformIntrinsicCombine is skipped here, because AMD's code generation runs it again, after more values have
      // become uniform.
      bool isRepeated = pass == llvm_names::kUniformIntrinsicCombine;
      return !isTooLong && !isRepeated && !isAbandoned();
    });
    PassBuilder builder(*machine, tuning, std::nullopt, &callbacks);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager cgscc;
    ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(cgscc);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, cgscc, modules);
    ModulePassManager passes =
        hasMfma(module) ? shortList(builder) : builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
    passes.run(module, modules);
  });
}

} // namespace hocket
