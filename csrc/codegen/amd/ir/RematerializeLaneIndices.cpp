//===- RematerializeLaneIndices.cpp - Recomputes lane indices after loops with MFMA ------------===//
#include "codegen/amd/ir/RematerializeLaneIndices.h"
#include "codegen/amd/ir/Mfma.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

/// Maximum number of instructions that are recomputed to obtain one value after a loop.
constexpr int kMostIndexCopies = 8;

static bool isThreadIndex(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_workitem_id_x;
}

static bool hasMfma(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &op : *block)
      if (isMfma(op))
        return true;
  return false;
}

/// Returns two postdominators of `loop`: the first basic block after the loop, and the first basic block after the loop
/// that the loop's header does not dominate. The two can be the same block, which is then returned once.
static SmallVector<BasicBlock *, 2> blocksAfter(const Loop &loop, const DominatorTree &dominators,
                                                const PostDominatorTree &following) {
  SmallVector<BasicBlock *, 2> blocks;
  BasicBlock *block = loop.getHeader();
  bool isReachedWithout = false;
  while (!isReachedWithout) {
    auto *next = following.getNode(block)->getIDom();
    block = next ? next->getBlock() : nullptr;
    if (!block)
      break;
    isReachedWithout = !dominators.dominates(loop.getHeader(), block);
    if (isReachedWithout || (!loop.contains(block) && blocks.empty()))
      blocks.push_back(block);
  }
  return blocks;
}

namespace {

/// Rematerializes values that are defined before `loop`. The rematerialized values are in the block `after` the loop.
class IndexCopies {
public:
  IndexCopies(const Loop &loop, BasicBlock &after, const DominatorTree &dominators)
      : loop(loop), after(after), dominators(dominators), builder(&after, after.getFirstInsertionPt()) {}

  /// If `op` can be recomputed and `loop` does not use it, replaces the uses of `op` after the loop by a recomputed
  /// copy.
  void replaceUses(Instruction &op) {
    if (isThreadIndex(&op) || usesInLoop(op))
      return;
    SmallVector<Use *> uses;
    for (Use &use : op.uses())
      if (isAfter(use))
        uses.push_back(&use);
    int left = kMostIndexCopies;
    if (uses.empty() || !canCopy(op, left))
      return;
    Value *copy = copyOf(op);
    for (Use *use : uses)
      use->set(copy);
  }

private:
  bool usesInLoop(const Instruction &op) const {
    return any_of(op.users(), [&](const User *user) { return loop.contains(cast<Instruction>(user)); });
  }

  bool isAfter(const Use &use) const {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *phi = dyn_cast<PHINode>(user))
      return dominators.dominates(&after, phi->getIncomingBlock(use));
    return dominators.dominates(&after, user->getParent());
  }

  /// True if `value` is computed only from constants and the thread index, by at most `left` integer operations.
  /// Subtracts the number of these operations from `left`.
  static bool canCopy(const Value &value, int &left) {
    if (isa<Constant>(value) || isThreadIndex(&value))
      return true;
    auto *op = dyn_cast<Instruction>(&value);
    if (!op || !op->getType()->isIntegerTy() || !(isa<BinaryOperator>(op) || isa<CastInst>(op)) || op->isIntDivRem() ||
        --left < 0)
      return false;
    return all_of(op->operands(), [&](const Use &operand) { return canCopy(*operand.get(), left); });
  }

  Value *copyOf(Value &value) {
    if (isa<Constant>(value))
      return &value;
    auto &op = cast<Instruction>(value);
    if (Value *known = copies.lookup(&op))
      return known;
    Value *copy = nullptr;
    if (isThreadIndex(&op)) {
      auto *type = FunctionType::get(op.getType(), op.getType(), /*isVarArg=*/false);
      copy = builder.CreateCall(InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/true), &op);
    } else {
      Instruction *clone = op.clone();
      for (Use &operand : clone->operands())
        operand.set(copyOf(*operand.get()));
      copy = builder.Insert(clone);
    }
    return copies[&op] = copy;
  }

  const Loop &loop;
  BasicBlock &after;
  const DominatorTree &dominators;
  IRBuilder<> builder;
  DenseMap<Instruction *, Value *> copies;
};

} // namespace

static void rematerializeIn(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  PostDominatorTree following(function);
  SmallVector<Loop *, 4> inOrder = loops.getLoopsInPreorder();
  // Visits loops in reverse order: if a value is used after several loops, it is recomputed after the last of these
  // loops.
  for (const Loop *loop : reverse(inOrder)) {
    if (loop->getParentLoop() || !hasMfma(*loop))
      continue;
    for (BasicBlock *after : blocksAfter(*loop, dominators, following)) {
      IndexCopies copies(*loop, *after, dominators);
      for (BasicBlock &block : function)
        if (dominators.properlyDominates(&block, loop->getHeader()))
          for (Instruction &op : make_early_inc_range(block))
            copies.replaceUses(op);
    }
  }
}

void rematerializeLaneIndices(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      rematerializeIn(function);
}

} // namespace hocket
