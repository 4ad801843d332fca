//===- PassChoice.cpp - Which passes of code generation run -------------------------===//
#include "codegen/PassChoice.h"
#include "codegen/LongBlocks.h"
#include "codegen/MatrixProducts.h"
#include "support/Steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

/// Of values. Straight-line strength reduction compares each with all that came before and have a factor in common: 64
/// take it 0.07 s, 256 more than a second. A tile of that many rows a lane has a product by the stride for each.
constexpr int kMostProducts = 96;
/// By one value, for AMD GPUs. With fewer there is little to reduce, but it compares addresses all the same: of a
/// kernel of 300 lines with 3 such products it took a twelfth of LLVM's time.
constexpr int kFewestProducts = 4;

/// What code generation for CDNA does without in kernels that multiply matrices, the largest: how many of the first
/// runs of a pass. They find nothing there, or what a later run or pass finds as well.
constexpr int kEach = -1;
constexpr std::pair<StringLiteral, int> kSparedRuns[] = {
    {"Loop Invariant Code Motion", kEach}, // again, and compares all accesses of a loop for that
    {"Canonicalize Freeze Instructions in Loops", kEach},
    {"early-cse", kEach}, // again
    {"machine-cse", 1},
    {"machine-cp", 1},
    {"dead-mi-elimination", 3},
};

static int countProducts(const Function &function) {
  return count_if(instructions(function), [](const Instruction &op) {
    return op.getOpcode() == Instruction::Mul && !isa<Constant>(op.getOperand(1));
  });
}

/// Whether a value has enough products for each to be made of the one before.
static bool hasRelatedProducts(const Function &function) {
  DenseMap<const Value *, int> products;
  for (const Instruction &op : instructions(function))
    if (op.getOpcode() == Instruction::Mul)
      for (const Value *factor : op.operand_values())
        if (!isa<Constant>(factor) && ++products[factor] >= kFewestProducts)
          return true;
  return false;
}

static bool paysToReduceStrength(const Module &module) {
  if (any_of(module, [](const Function &function) {
        return hasLongBlocks(function) || countProducts(function) > kMostProducts;
      }))
    return false;
  if (!module.getTargetTriple().isAMDGPU())
    return true;
  // What it finds in kernels that multiply matrices changes nothing, and takes it 3 % of LLVM's time.
  return !hasMatrixProducts(module) && any_of(module, hasRelatedProducts);
}

PassChoice::PassChoice(const Module &module)
    : context(module.getContext()), before(context.getOptPassGate()), isAmd(module.getTargetTriple().isAMDGPU()),
      multiplies(hasMatrixProducts(module)), reducesStrength(paysToReduceStrength(module)) {
  context.setOptPassGate(*this);
}

PassChoice::~PassChoice() { context.setOptPassGate(before); }

bool PassChoice::isEnabled() const { return isAmd || !reducesStrength || isAbandoned(); }

bool PassChoice::shouldRunPass(StringRef pass, StringRef what) const {
  if (isAbandoned() && is_contained({"machine-scheduler", "postmisched", "load-store-vectorizer", "gvn"}, pass))
    return false;
  if (isAmd && is_contained({"gvn", "nary-reassociate"}, pass))
    return false;
  if (multiplies)
    for (auto [spared, runs] : kSparedRuns)
      if (pass == spared)
        return runs != kEach && runsBefore[(pass + what).str()]++ >= runs;
  return reducesStrength || pass != "slsr";
}

} // namespace hocket
