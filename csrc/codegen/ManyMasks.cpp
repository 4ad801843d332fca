//===- ManyMasks.cpp - Computes masks and addresses again where they are used -----===//
#include "codegen/ManyMasks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace hocket {

// A wave has 102 scalar registers. 32 masks of a kernel that loads and stores fit beside what else it needs; 64 do not.
constexpr size_t kMostMasks = 40;

// A value with more users is one that all masks or addresses are computed from, such as the number of the thread: it
// stays in a register.
constexpr unsigned kMostUsers = 4;

/// Instructions that one use may be computed with.
constexpr int kMostCopies = 16;

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

bool prepareManyMasks(Module &module) {
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

/// Computes what one block uses of other blocks' values.
class BlockCopies {
public:
  BlockCopies(BasicBlock &block, const LoopInfo &loops) : block(block), loops(loops) {}

  /// `value`, computed right before `before` as far as that is cheap.
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
  /// Not into a loop that it is computed before.
  bool canCopy(const Instruction &op) const {
    const Loop *loop = loops.getLoopFor(&block);
    return op.getParent() != &block && isCheap(op) && !op.hasNUsesOrMore(kMostUsers + 1) &&
           (!loop || loop->contains(&op));
  }

  BasicBlock &block;
  const LoopInfo &loops;
  SmallDenseMap<Instruction *, Instruction *, 16> copies;
  int left = kMostCopies;
};

class RecomputeMasks : public FunctionPass {
public:
  static char ID;
  RecomputeMasks() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Recompute masks where they are used"; }

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

char RecomputeMasks::ID = 0;

} // namespace

FunctionPass *createRecomputeMasksPass() { return new RecomputeMasks; }

} // namespace hocket
