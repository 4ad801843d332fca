//===- Passes.cpp - Hocket's passes of AMD code generation, in order ----------------------------===//
//
// The table of contents of codegen/amd: each pass, its position in LLVM's list, and the reason for the position. The
// header of each pass has an example and the reason why LLVM's own means do not do the same. `skip_passes`
// (CodegenOptions) leaves out any of the passes by the name given here.
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
  // First: LLVM's passes then visit one value per vector instead of one per element.
  if (!options.skips(kRejoinVectors))
    rejoinVectors(module);
  // Before the SLP vectorizer, which would join the results of several loads and so wait for them at the end of an
  // iteration.
  if (!options.skips(kPackNarrowPhis))
    packNarrowPhis(module, kPackedRegisterBits);
}

/// In IEEE mode v_max_f32 and v_min_f32 propagate signaling NaNs, so LLVM quiets each operand first, by an instruction
/// of its own. Without it they treat any NaN as a missing number, which is the meaning of maxnum and minnum.
static void leaveIeeeMode(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("amdgpu-ieee", "false");
}

void runAmdPassesBeforeCodegen(Module &module, const CodegenOptions &options) {
  leaveIeeeMode(module);
  // After the SLP vectorizer, whose packed arithmetic it splits.
  if (!options.skips(kScalarizeF32))
    scalarizeF32BesideMfma(module);
  // Again, for vectors of any width: no pass follows that would look for consecutive registers.
  if (!options.skips(kPackNarrowPhis))
    packNarrowPhis(module, ~0u);
  // After LLVM's GVN, which would merge the recomputed indices with the original ones.
  if (!options.skips(kRematerializeLaneIndices))
    rematerializeLaneIndices(module);
  // After LLVM's folding of conversions, which would not see the expanded ones.
  if (!findTarget(options.target)->hasBf16Convert && !options.skips(kExpandF32ToBf16))
    expandF32ToBf16(module);
  // Marks functions whose masks rematerialize-masks recomputes.
  if (!options.skips(kRematerializeMasks))
    requestFewRegisters(module);
}

namespace {

/// Inserts passes into LLVM's list, each followed by the machine verifier if that is on.
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

/// CodeGenPrepare is the last pass before instruction selection that merges or moves computations. No header declares
/// its ID.
static AnalysisID codeGenPrepareId() {
  std::unique_ptr<FunctionPass> prepare(createCodeGenPrepareLegacyPass());
  return prepare->getPassID();
}

void insertAmdPasses(TargetPassConfig &config, const Module &module, const CodegenOptions &options) {
  PassInserter passes(config, options);

  // A kernel with scheduling barriers fixes the order of its memory accesses. Schedulers respect that; MachineSink does
  // not: it would move a load across barriers into the block of its use, out of its pipeline stage.
  if (module.getFunction(llvm_names::kSchedBarrierIntrinsic)) {
    config.disablePass(&MachineSinkingLegacyID);
    if (!options.skips(kSinkExitValues))
      config.insertPass(codeGenPrepareId(), createSinkExitValuesPass());
  }
  if (any_of(module, hasManyMasks) && !options.skips(kRematerializeMasks))
    config.insertPass(codeGenPrepareId(), createRematerializeMasksPass());

  // Right after instruction selection, before SIFixSGPRCopies.
  passes.insertAfter(&FinalizeISelID, kRemoveArithFences, createRemoveArithFencesPass());
  // While each register has one definition.
  passes.insertAfter(&FinalizeISelID, kPackF16InPlace, createPackF16InPlacePass());

  // After the first scheduler, so that its order is the starting point, and before register allocation: registers that
  // are assigned to bursts could not be interleaved afterwards.
  const CostTable &costs = *findTarget(options.target)->costs;
  int transcendental = costs.transcendental / costs.vector;
  passes.insertAfter(&MachineSchedulerID, kInterleaveMfma, createInterleaveMfmaPass(transcendental, false));
  passes.insertAfter(&MachineSchedulerID, kInterleaveLdsAccesses,
                     createInterleaveLdsAccessesPass(transcendental, false));
  // Before register allocation, so that the compares of a batch can get different scalar registers.
  passes.insertAfter(&MachineSchedulerID, kBatchCompares, createBatchComparesPass());

  // After the second scheduler, which moves instructions back into bursts.
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
