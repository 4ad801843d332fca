//===- PassGate.cpp - Skips passes of LLVM's code generation ------------------------------===//
#include "codegen/llvm/PassGate.h"
#include "codegen/amd/ir/Mfma.h"
#include "codegen/llvm/LlvmInternals.h"
#include "codegen/llvm/LongBlocks.h"
#include "support/Steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

/// Straight-line strength reduction compares each multiplication with all earlier ones by the same factor: 64 take
/// 0.07 s, 256 more than a second. A tile with 256 rows per lane has a multiplication by the stride for each.
constexpr int kMostMultiplications = 96;
/// Multiplications of one value, for AMD GPUs. With fewer of them the pass gains little, but it still compares all
/// addresses: for a kernel of 300 lines with 3 such multiplications it took a twelfth of LLVM's time.
constexpr int kFewestMultiplications = 4;

/// Passes that are skipped for CDNA kernels with MFMA, and the number of first runs to skip. These runs change nothing
/// there, or a later run or pass makes the same changes.
constexpr int kEach = -1;
constexpr std::pair<StringLiteral, int> kSkippedRuns[] = {
    {llvm_names::kLicm, kEach}, // ran before code generation; compares all accesses of a loop
    {llvm_names::kCanonicalizeFreeze, kEach},
    {llvm_names::kEarlyCse, kEach}, // ran before code generation
    {llvm_names::kMachineCse, 1},
    {llvm_names::kMachineCopyPropagation, 1},
    {llvm_names::kDeadMachineInstructions, 3},
};

static int countMultiplications(const Function &function) {
  return count_if(instructions(function), [](const Instruction &op) {
    return op.getOpcode() == Instruction::Mul && !isa<Constant>(op.getOperand(1));
  });
}

/// True if some value has enough multiplications to compute each from the previous one.
static bool hasRelatedMultiplications(const Function &function) {
  DenseMap<const Value *, int> counts;
  for (const Instruction &op : instructions(function))
    if (op.getOpcode() == Instruction::Mul)
      for (const Value *factor : op.operand_values())
        if (!isa<Constant>(factor) && ++counts[factor] >= kFewestMultiplications)
          return true;
  return false;
}

static bool paysToReduceStrength(const Module &module) {
  if (any_of(module, [](const Function &function) {
        return hasLongBlocks(function) || countMultiplications(function) > kMostMultiplications;
      }))
    return false;
  if (!module.getTargetTriple().isAMDGPU())
    return true;
  // In kernels with MFMA the pass changes nothing and takes 3 % of LLVM's time.
  return !hasMfma(module) && any_of(module, hasRelatedMultiplications);
}

PassGate::PassGate(const Module &module)
    : context(module.getContext()), outer(context.getOptPassGate()), isAmd(module.getTargetTriple().isAMDGPU()),
      hasMatrixInstructions(hasMfma(module)), reducesStrength(paysToReduceStrength(module)) {
  context.setOptPassGate(*this);
}

PassGate::~PassGate() { context.setOptPassGate(outer); }

bool PassGate::isEnabled() const { return isAmd || !reducesStrength || isAbandoned() || outer.isEnabled(); }

bool PassGate::shouldRunPass(StringRef pass, StringRef what) const {
  if (isAbandoned() && is_contained({llvm_names::kMachineScheduler, llvm_names::kPostRaScheduler,
                                     llvm_names::kLoadStoreVectorizer, llvm_names::kGvn},
                                    pass))
    return false;
  if (isAmd && is_contained({llvm_names::kGvn, llvm_names::kNaryReassociate}, pass))
    return false;
  if (hasMatrixInstructions)
    for (auto [skipped, runs] : kSkippedRuns)
      if (pass == skipped)
        return runs != kEach && runsBefore[(pass + what).str()]++ >= runs;
  if (!reducesStrength && pass == llvm_names::kStrengthReduction)
    return false;
  return !outer.isEnabled() || outer.shouldRunPass(pass, what);
}

} // namespace hocket
