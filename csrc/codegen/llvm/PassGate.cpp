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

/// Straight-line strength reduction is skipped for functions with more multiplications than this limit. The pass
/// compares each multiplication with all earlier multiplications by the same factor. The cost of the pass is cubic in
/// the number of multiplications: it takes little time for 64 multiplications, but more than a second for 256. A lane
/// that accesses 256 rows of a tile multiplies 256 times by the stride.
constexpr int kMostMultiplications = 96;
/// For AMD GPUs, straight-line strength reduction is skipped unless a value is a factor of at least this number of
/// multiplications. With fewer multiplications, the pass gains little, but compares all addresses, which may take a
/// twelfth of LLVM's compile time.
constexpr int kFewestMultiplications = 4;

/// For kernels with MFMA: passes whose first runs are skipped, with the number of skipped runs per function; kEach
/// skips all runs. A skipped run would change nothing, or a later run or pass makes the same changes.
constexpr int kEach = -1;
constexpr std::pair<StringLiteral, int> kSkippedRuns[] = {
    {llvm_names::kLicm, kEach}, // LICM compares all accesses of a loop, and has already run before code generation
    {llvm_names::kCanonicalizeFreeze, kEach},
    {llvm_names::kEarlyCse, kEach}, // EarlyCSE has already run before code generation
    {llvm_names::kMachineCse, 1},
    {llvm_names::kMachineCopyPropagation, 1},
    {llvm_names::kDeadMachineInstructions, 3},
};

static int countMultiplications(const Function &function) {
  return count_if(instructions(function), [](const Instruction &op) {
    return op.getOpcode() == Instruction::Mul && !isa<Constant>(op.getOperand(1));
  });
}

/// True if some value of `function` is a factor of at least kFewestMultiplications multiplications. Straight-line
/// strength reduction can then replace each of these multiplications by an addition to the result of the previous one.
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
  // In kernels with MFMA, straight-line strength reduction changes nothing.
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
