//===- RematerializeMasks.cpp - Recomputes masks and addresses at their uses -------------------===//
#include "codegen/amd/ir/RematerializeMasks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace hocket {

// Masks are recomputed if a function has more than this number of masks that are live across basic blocks. A wave has
// 102 scalar registers, and a mask takes two scalar registers. In a kernel with masked loads and stores, 32 masks fit
// into the scalar registers beside the other values, but 64 masks do not.
constexpr size_t kMostMasks = 40;

// Maximum number of users of a value that is recomputed. A value with more users is typically an input of all masks or
// addresses, e.g. the thread index.
constexpr unsigned kMostUsers = 4;

/// Maximum number of instructions that are recomputed in one basic block.
constexpr int kMostMaskCopies = 16;

bool hasManyMasks(const Function &function) {
  SmallPtrSet<const Value *, 32> masks;
  for (const BasicBlock &block : function) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    auto *mask = branch && branch->isConditional() ? dyn_cast<Instruction>(branch->getCondition()) : nullptr;
    if (mask && mask->getParent() != &block)
      masks.insert(mask);
  }
  return masks.size() > kMostMasks;
}

bool requestFewRegisters(Module &module) {
  bool found = false;
  for (Function &function : module) {
    if (!hasManyMasks(function))
      continue;
    found = true;
    function.addFnAttr("amdgpu-sched-strategy", "iterative-minreg");
  }
  return found;
}

static bool isCheap(const Instruction &op) {
  if (auto *arithmetic = dyn_cast<BinaryOperator>(&op))
    return !arithmetic->isIntDivRem() && !arithmetic->getType()->isFPOrFPVectorTy();
  return isa<CmpInst, CastInst, GetElementPtrInst, SelectInst>(op);
}

namespace {

/// Copies of values that other basic blocks define, recomputed in `block`.
class BlockCopies {
public:
  BlockCopies(BasicBlock &block, const LoopInfo &loops) : block(block), loops(loops) {}

  /// Returns a copy of `value` that is recomputed in `block`, before `before`. Returns `value` itself if it cannot be
  /// recomputed cheaply.
  Value *copyOf(Value *value, Instruction *before) {
    auto *op = dyn_cast<Instruction>(value);
    if (!op || !canCopy(*op))
      return value;
    if (auto known = copies.find(op); known != copies.end())
      return known->second;
    if (left == 0)
      return value;
    --left;
    Instruction *copy = op->clone();
    for (Use &operand : copy->operands())
      operand.set(copyOf(operand.get(), before));
    copy->insertBefore(before->getIterator());
    return copies[op] = copy;
  }

private:
  /// True if `op` is in another block, is cheap and has few users. Also requires that the copy would not be inside a
  /// loop that does not contain `op`, because the loop would execute the copy repeatedly.
  bool canCopy(const Instruction &op) const {
    const Loop *loop = loops.getLoopFor(&block);
    return op.getParent() != &block && isCheap(op) && !op.hasNUsesOrMore(kMostUsers + 1) &&
           (!loop || loop->contains(&op));
  }

  BasicBlock &block;
  const LoopInfo &loops;
  SmallDenseMap<Instruction *, Instruction *, 16> copies;
  int left = kMostMaskCopies;
};

class RematerializeMasks : public FunctionPass {
public:
  static char ID;
  RematerializeMasks() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Rematerialize masks at their uses"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesCFG(); }

  bool runOnFunction(Function &function) override {
    if (!hasManyMasks(function))
      return false;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (BasicBlock &block : function) {
      BlockCopies copies(block, loops);
      for (Instruction &op : make_early_inc_range(block)) {
        if (auto *store = dyn_cast<StoreInst>(&op))
          store->setOperand(StoreInst::getPointerOperandIndex(), copies.copyOf(store->getPointerOperand(), store));
        else if (auto *branch = dyn_cast<BranchInst>(&op); branch && branch->isConditional())
          branch->setCondition(copies.copyOf(branch->getCondition(), branch));
      }
    }
    return true;
  }
};

char RematerializeMasks::ID = 0;

} // namespace

FunctionPass *createRematerializeMasksPass() { return new RematerializeMasks; }

} // namespace hocket
