//===- Passes.cpp - Hocket's passes of AMD code generation, in order ----------------------------===//
//
// Inserts all passes of codegen/amd into LLVM's pass list, and explains the position of each pass. The header file of
// each pass shows an example, and explains why LLVM does not make the same change. docs/lab/isa.md lists the effects of
// each pass on the loops of hocket.kernels. CodegenOptions::skippedPasses skips passes by the names that this file
// defines.
//
//===--------------------------------------------------------------------------------------------===//
#include "codegen/amd/Passes.h"

#include "codegen/amd/ir/ExpandF32ToBf16.h"
#include "codegen/amd/ir/Mfma.h"
#include "codegen/amd/ir/PackNarrowPhis.h"
#include "codegen/amd/ir/RejoinVectors.h"
#include "codegen/amd/ir/RematerializeLaneIndices.h"
#include "codegen/amd/ir/RematerializeMasks.h"
#include "codegen/amd/ir/ScalarizeF32BesideMfma.h"
#include "codegen/amd/ir/SinkExitValues.h"
#include "codegen/amd/machine/BatchCompares.h"
#include "codegen/amd/machine/InterleaveLdsAccesses.h"
#include "codegen/amd/machine/InterleaveMfma.h"
#include "codegen/amd/machine/PackF16InPlace.h"
#include "codegen/amd/machine/RemoveArithFences.h"
#include "codegen/amd/machine/ScheduleLoops.h"
#include "codegen/llvm/LlvmInternals.h"
#include "target/CostTable.h"
#include "target/TargetInfo.h"

#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Module.h"
#include <atomic>

using namespace llvm;

namespace hocket {

static constexpr StringLiteral kRejoinVectors = "rejoin-vectors", kPackNarrowPhis = "pack-narrow-phis";
static constexpr StringLiteral kScalarizeF32 = "scalarize-f32-beside-mfma";
static constexpr StringLiteral kRematerializeLaneIndices = "rematerialize-lane-indices";
static constexpr StringLiteral kExpandF32ToBf16 = "expand-f32-to-bf16", kRematerializeMasks = "rematerialize-masks";
static constexpr StringLiteral kSinkExitValues = "sink-exit-values";
static constexpr StringLiteral kRemoveArithFences = "remove-arith-fences", kPackF16InPlace = "pack-f16-in-place";
static constexpr StringLiteral kInterleaveMfma = "interleave-mfma";
static constexpr StringLiteral kInterleaveLdsAccesses = "interleave-lds-accesses";
static constexpr StringLiteral kBatchCompares = "batch-compares", kScheduleLoops = "schedule-loops";

ArrayRef<StringLiteral> codegenPassNames() {
  static constexpr StringLiteral names[] = {
      kRejoinVectors,         kPackNarrowPhis, kScalarizeF32,      kRematerializeLaneIndices, kExpandF32ToBf16,
      kRematerializeMasks,    kSinkExitValues, kRemoveArithFences, kPackF16InPlace,           kInterleaveMfma,
      kInterleaveLdsAccesses, kBatchCompares,  kScheduleLoops};
  return names;
}

static std::atomic<bool> verifiesMachineCode = false;

void setMachineVerifier(bool isOn) { verifiesMachineCode = isOn; }

bool CodegenOptions::skips(StringRef pass) const {
  return any_of(skippedPasses, [&](const std::string &name) { return name == pass || name == "all"; });
}

void runAmdPassesBeforeOptimizations(Module &module, const CodegenOptions &options) {
  // rejoin-vectors runs first, so that LLVM's passes visit one value per vector instead of one per element.
  if (!options.skips(kRejoinVectors))
    rejoinVectors(module);
  // pack-narrow-phis runs before the SLP vectorizer, which would otherwise join the results of several loads in one
  // vector. The wave would then wait for these loads at the end of each iteration.
  if (!options.skips(kPackNarrowPhis))
    packNarrowPhis(module, kPackedRegisterBits);
}

/// Disables IEEE mode in all functions of `module`. In IEEE mode, v_max_f32 and v_min_f32 propagate signaling NaNs, so
/// LLVM inserts an instruction for each operand that turns signaling NaNs into quiet NaNs. Without IEEE mode, v_max_f32
/// and v_min_f32 return the other operand if one operand is any NaN, as maxnum and minnum do.
static void leaveIeeeMode(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("amdgpu-ieee", "false");
}

void runAmdPassesBeforeCodegen(Module &module, const CodegenOptions &options) {
  leaveIeeeMode(module);
  // scalarize-f32 runs after the SLP vectorizer, because scalarize-f32 splits packed arithmetic that the SLP vectorizer
  // creates.
  if (!options.skips(kScalarizeF32))
    scalarizeF32BesideMfma(module);
  // pack-narrow-phis runs a second time, here for vectors of any width, because no later pass combines the loads or
  // stores of consecutive elements.
  if (!options.skips(kPackNarrowPhis))
    packNarrowPhis(module, ~0u);
  // rematerialize-lane-indices runs after LLVM's GVN, which would merge the rematerialized indices with the original
  // ones.
  if (!options.skips(kRematerializeLaneIndices))
    rematerializeLaneIndices(module);
  // expand-f32-to-bf16 runs after LLVM's optimizations, because LLVM can fold a conversion only before it is expanded.
  if (!findTarget(options.target)->hasBf16Convert && !options.skips(kExpandF32ToBf16))
    expandF32ToBf16(module);
  // Requests the register-saving scheduler for the functions in which rematerialize-masks will recompute masks.
  if (!options.skips(kRematerializeMasks))
    requestFewRegisters(module);
}

namespace {

/// Inserts passes into LLVM's pass list. If the machine verifier is enabled, inserts the machine verifier after each
/// inserted pass.
class PassInserter {
public:
  PassInserter(TargetPassConfig &config, const CodegenOptions &options) : config(config), options(options) {}

  void insertAfter(AnalysisID position, StringRef name, FunctionPass *pass) {
    std::unique_ptr<FunctionPass> owned(pass);
    if (options.skips(name))
      return;
    AnalysisID id = pass->getPassID();
    config.insertPass(position, owned.release());
    verifyAfter(id, name);
  }

  void verifyAfter(AnalysisID id, StringRef name) {
    if (verifiesMachineCode)
      config.insertPass(id, createMachineVerifierPass(("After Hocket's " + name).str()));
  }

private:
  TargetPassConfig &config;
  const CodegenOptions &options;
};

} // namespace

/// Returns the pass ID of CodeGenPrepare, which no LLVM header declares. CodeGenPrepare is the last pass before
/// instruction selection that merges or moves computations.
static AnalysisID codeGenPrepareId() {
  std::unique_ptr<FunctionPass> prepare(createCodeGenPrepareLegacyPass());
  return prepare->getPassID();
}

void insertAmdPasses(TargetPassConfig &config, const Module &module, const CodegenOptions &options) {
  PassInserter passes(config, options);

  // Scheduling barriers in a kernel fix the order of its memory accesses. LLVM's schedulers respect scheduling
  // barriers. MachineSink ignores scheduling barriers: it would move a load into the basic block of its use, and
  // thereby out of its pipeline stage.
  if (module.getFunction(llvm_names::kSchedBarrierIntrinsic)) {
    config.disablePass(&MachineSinkingLegacyID);
    if (!options.skips(kSinkExitValues))
      config.insertPass(codeGenPrepareId(), createSinkExitValuesPass());
  }
  if (any_of(module, hasManyMasks) && !options.skips(kRematerializeMasks))
    config.insertPass(codeGenPrepareId(), createRematerializeMasksPass());

  // remove-arith-fences runs directly after instruction selection, before SIFixSGPRCopies.
  passes.insertAfter(&FinalizeISelID, kRemoveArithFences, createRemoveArithFencesPass());
  // pack-f16-in-place runs while virtual registers are in SSA form: each has only one definition.
  passes.insertAfter(&FinalizeISelID, kPackF16InPlace, createPackF16InPlacePass());

  // interleave-mfma and interleave-lds-accesses run after LLVM's first machine scheduler, because these passes reorder
  // the scheduler's result. Both passes run before register allocation, because registers that are reused within a
  // burst of instructions would prevent interleaving.
  const CostTable &costs = *findTarget(options.target)->costs;
  int transcendental = costs.transcendental / costs.vector;
  passes.insertAfter(&MachineSchedulerID, kInterleaveMfma, createInterleaveMfmaPass(transcendental, false));
  passes.insertAfter(&MachineSchedulerID, kInterleaveLdsAccesses,
                     createInterleaveLdsAccessesPass(transcendental, false));
  // batch-compares runs before register allocation, so that the compares of a batch get different scalar registers.
  passes.insertAfter(&MachineSchedulerID, kBatchCompares, createBatchComparesPass());

  // interleave-mfma and interleave-lds-accesses run again after the second machine scheduler (after register
  // allocation), because this scheduler moves instructions back into bursts.
  AnalysisID secondScheduler = &PostMachineSchedulerID;
  if (hasMfma(module) && !options.skips(kScheduleLoops)) {
    FunctionPass *scheduleLoops = createScheduleLoopsPass();
    secondScheduler = scheduleLoops->getPassID();
    config.substitutePass(&PostRASchedulerID, scheduleLoops);
    passes.verifyAfter(secondScheduler, kScheduleLoops);
  }
  passes.insertAfter(secondScheduler, kInterleaveMfma, createInterleaveMfmaPass(transcendental, true));
  passes.insertAfter(secondScheduler, kInterleaveLdsAccesses, createInterleaveLdsAccessesPass(transcendental, true));
}

} // namespace hocket
