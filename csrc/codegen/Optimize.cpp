//===- Optimize.cpp - The LLVM passes that a GPU kernel goes through --------------===//
#include "codegen/CarryVectors.h"
#include "codegen/Codegen.h"
#include "codegen/LongBlocks.h"
#include "codegen/TargetMachines.h"
#include "codegen/WholeVectors.h"
#include "support/Steps.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace hocket {

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
    builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
  });
}

} // namespace hocket
