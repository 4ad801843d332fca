//===- EmitAssembly.cpp - llvm::Module -> PTX or AMD ISA text ---------------------===//
//
// LLVM's own list of passes, with some exceptions. A kernel with scheduling barriers says where its memory accesses
// begin. What orders instructions in a block respects that. MachineSink does not: it moves a load whose result is used
// in another block there, over barriers, into the stage that is to keep the matrix cores busy; so a pass of our own
// moves what only the end of a loop needs (ExitValues.h). And for kernels with many masks there is a pass of our own
// (ManyMasks.h), as there are for AMD's kernels: fences end with instruction selection (EndFences.h), and products are
// spread over arithmetic, and arithmetic over accesses of memory, after either scheduler (SpreadProducts.h,
// SpreadAccesses.h): what the first leaves in heaps is given registers that the second cannot take apart. Masks are
// made several at a time (GroupMasks.h), halves rounded to where their pair is (RoundIntoPairs.h). Before all of these,
// AMD kernels compute floats beside products one by one (PartFloats.h), narrow elements that are carried from block to
// block are joined (CarryVectors.h), indices are computed again after loops that need all registers (LaneIndices.h),
// and bfloat16 is made by integers where there is no instruction (RoundToBfloats.h).
//
//===------------------------------------------------------------------------------===//
#include "codegen/CarryVectors.h"
#include "codegen/Codegen.h"
#include "codegen/EndFences.h"
#include "codegen/ExitValues.h"
#include "codegen/GroupMasks.h"
#include "codegen/LaneIndices.h"
#include "codegen/LongBlocks.h"
#include "codegen/ManyMasks.h"
#include "codegen/MatrixProducts.h"
#include "codegen/PartFloats.h"
#include "codegen/PassChoice.h"
#include "codegen/RoundIntoPairs.h"
#include "codegen/RoundToBfloats.h"
#include "codegen/ScheduleLoops.h"
#include "codegen/SpreadAccesses.h"
#include "codegen/SpreadProducts.h"
#include "codegen/TargetMachines.h"
#include "target/CostTable.h"
#include "target/TargetInfo.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket {

static bool hasSchedulingBarriers(const Module &module) { return module.getFunction("llvm.amdgcn.sched.barrier"); }

/// In IEEE mode v_max_f32 and its like hand signalling NaNs on, so LLVM quiets each operand first, which is an
/// instruction of its own. Without it they take any NaN for a missing number, which is what maxnum and minnum mean.
static void leaveIeeeMode(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("amdgpu-ieee", "false");
}

/// As TargetMachine::addPassesToEmitFile, with a list of passes that `change` may change. True if the target cannot do
/// it.
static bool addPasses(TargetMachine &machine, legacy::PassManager &passes, raw_pwrite_stream &stream,
                      function_ref<void(TargetPassConfig &)> change) {
  auto &generator = static_cast<CodeGenTargetMachineImpl &>(machine);
  TargetPassConfig *config = generator.createPassConfig(passes);
  config->setDisableVerify(true);
  change(*config);
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses())
    return true;
  config->addMachinePasses();
  config->setInitialized();
  if (generator.addAsmPrinter(passes, stream, nullptr, CodeGenFileType::AssemblyFile, info->getMMI().getContext()))
    return true;
  passes.add(createFreeMachineFunctionPass());
  return false;
}

/// CodeGenPrepare is the last pass that would undo what `pass` does. No header names its identity.
static void insertAfterPrepare(TargetPassConfig &config, FunctionPass *pass) {
  std::unique_ptr<FunctionPass> prepare(createCodeGenPrepareLegacyPass());
  config.insertPass(prepare->getPassID(), pass);
}

Expected<std::string> emitAssembly(Module &module, const CodegenOptions &options) {
  auto machine = getTargetMachine(options);
  if (!machine)
    return machine.takeError();

  bool fixesOrder = hasSchedulingBarriers(module); // of the kernel's own
  bool isForAmd = module.getTargetTriple().isAMDGPU();
  const TargetInfo &target = *findTarget(options.target);
  bool hasManyMasks = isForAmd && prepareManyMasks(module);
  if (isForAmd) {
    leaveIeeeMode(module);
    partFloats(module);
    carryVectors(module, ~0u);
    recomputeLaneIndices(module);
    if (!target.hasBf16Convert)
      roundToBfloats(module);
  }
  shortenLongBlocks(module);
  PassChoice choice(module);
  SmallString<0> text;
  text.reserve(16 * 1024);
  bool fails = false;
  Error error = runLlvm(options, module, [&] {
    raw_svector_ostream stream(text);
    legacy::PassManager passes;
    fails = addPasses(**machine, passes, stream, [&](TargetPassConfig &config) {
      if (fixesOrder) {
        config.disablePass(&MachineSinkingLegacyID);
        insertAfterPrepare(config, createSinkExitValuesPass());
      }
      if (isForAmd) {
        config.insertPass(&FinalizeISelID, createEndFencesPass());
        config.insertPass(&FinalizeISelID, createRoundIntoPairsPass());
        int transcendental = target.costs->transcendental / target.costs->vector;
        config.insertPass(&MachineSchedulerID, createSpreadProductsPass(transcendental, /*isAllocated=*/false));
        config.insertPass(&MachineSchedulerID, createSpreadAccessesPass(transcendental, /*isAllocated=*/false));
        config.insertPass(&MachineSchedulerID, createGroupMasksPass());
        AnalysisID secondScheduler = &PostMachineSchedulerID;
        if (hasMatrixProducts(module)) {
          FunctionPass *scheduleLoops = createScheduleLoopsPass();
          secondScheduler = scheduleLoops->getPassID();
          config.substitutePass(&PostRASchedulerID, scheduleLoops);
        }
        config.insertPass(secondScheduler, createSpreadProductsPass(transcendental, /*isAllocated=*/true));
        config.insertPass(secondScheduler, createSpreadAccessesPass(transcendental, /*isAllocated=*/true));
      }
      if (hasManyMasks)
        insertAfterPrepare(config, createRecomputeMasksPass());
    });
    if (!fails)
      passes.run(module);
  });
  if (error)
    return std::move(error);
  if (fails)
    return createStringError("LLVM cannot emit assembly for target '" + options.target + "'");
  return std::string(text);
}

} // namespace hocket
