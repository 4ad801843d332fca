//===- Optimize.cpp - The LLVM passes that a GPU kernel goes through --------------===//
//
// LLVM's own list for -O3, and a short one for kernels that multiply matrices on CDNA. These are the largest, and in
// them most of the long list finds nothing: MLIR has folded what it could, addresses are kept in order by the lowering,
// there is no memory but the GPU's. Its vectorizer pairs floats that would be parted again (PartFloats.h), and made
// other passes look at the pairs. What the short list leaves out changes no count of instructions in the loops of
// hocket.kernels (benchmarks/isa.py) but took a third of LLVM's time.
//
//===------------------------------------------------------------------------------===//
#include "codegen/CarryVectors.h"
#include "codegen/Codegen.h"
#include "codegen/LongBlocks.h"
#include "codegen/MatrixProducts.h"
#include "codegen/TargetMachines.h"
#include "codegen/WholeVectors.h"
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

/// For kernels that multiply matrices on CDNA.
static ModulePassManager shortList(PassBuilder &builder) {
  ModulePassManager passes;
  FunctionPassManager early;
  early.addPass(SimplifyCFGPass());
  early.addPass(EarlyCSEPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(IPSCCPPass()); // ranges of indices, which make divisions shifts

  FunctionPassManager simplify;
  simplify.addPass(InstCombinePass());
  simplify.addPass(SimplifyCFGPass());
  LoopPassManager hoist;
  hoist.addPass(LoopRotatePass());
  // Not looking for memory that could stay in a register, for which all accesses of a loop are compared: barriers end
  // it.
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
  // Of values, not of loads: MLIR has merged equal reads.
  simplify.addPass(GVNPass(GVNOptions().setMemDep(false)));
  simplify.addPass(SCCPPass());
  simplify.addPass(InstCombinePass());
  simplify.addPass(ADCEPass());
  simplify.addPass(DivRemPairsPass());
  simplify.addPass(SimplifyCFGPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
  // The target's: which implicit arguments a kernel does without.
  builder.invokeOptimizerLastEPCallbacks(passes, OptimizationLevel::O3, ThinOrFullLTOPhase::None);
  return passes;
}

Error optimize(Module &module, const CodegenOptions &options) {
  auto machine = getTargetMachine(options);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (module.getTargetTriple().isAMDGPU()) {
    joinVectors(module);
    // The SLP vectorizer would join what several loads have brought, and so wait for them where a trip ends.
    carryVectors(module, kCarriedRegisterBits);
  }

  return runLlvm(options, module, [&] {
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = false;
    tuning.SLPVectorization = true;
    PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback([](StringRef pass, Any what) {
      const auto *function = llvm::any_cast<const Function *>(&what);
      bool isTooLong = pass == "SLPVectorizerPass" && function && hasLongBlocks(**function);
      // AMD's code generation runs it again, after all that could show it a uniform value.
      bool isRepeated = pass == "AMDGPUUniformIntrinsicCombinePass";
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
        hasMatrixProducts(module) ? shortList(builder) : builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
    passes.run(module, modules);
  });
}

} // namespace hocket
