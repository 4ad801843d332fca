//===- GroupMasks.cpp - Several comparisons before the selections by them ------------===//
//
// Input:    instructions in LLVM's order, in virtual registers.
// Output:   of pairs of a comparison and the selection by its mask, one right after the other, kAtOnce comparisons come
//           first, then their selections.
// Method:   a comparison moves up over selections that it does not depend on: it reads nothing that they write.
// Not done: masks that are used more than once, and pairs with something else in between.
//
//===------------------------------------------------------------------------------===//
#include "codegen/GroupMasks.h"
#include "codegen/AmdInstructions.h"
#include "codegen/ReorderPass.h"

#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

/// So that two other instructions stand between a comparison and its selection. More would take more scalar registers.
static constexpr size_t kAtOnce = 3;

namespace {

struct Pair {
  MachineInstr *comparison, *selection;
};

class GroupMasks : public ReorderPass {
public:
  static char ID;
  GroupMasks() : ReorderPass(ID, /*transcendental=*/1, /*isAllocated=*/false) {}

  StringRef getPassName() const override { return "Group masks"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    AmdInstructions kinds(function, transcendental);
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      isChanged |= group(block, kinds);
    return isChanged;
  }

private:
  bool group(MachineBasicBlock &block, const AmdInstructions &kinds);
};

char GroupMasks::ID = 0;

} // namespace

/// The selection right after `comparison` by its mask, if that is the only use.
static MachineInstr *selectionBy(MachineInstr &comparison, const AmdInstructions &kinds) {
  auto next = std::next(comparison.getIterator());
  if (!kinds.isComparison(comparison) || next == comparison.getParent()->end() || !kinds.isSelection(*next))
    return nullptr;
  Register mask = comparison.getOperand(0).getReg();
  const MachineRegisterInfo &registers = comparison.getMF()->getRegInfo();
  bool isOnly = mask.isVirtual() && registers.hasOneNonDBGUse(mask) && next->readsVirtualRegister(mask);
  return isOnly ? &*next : nullptr;
}

bool GroupMasks::group(MachineBasicBlock &block, const AmdInstructions &kinds) {
  const TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
  bool isChanged = false;
  SmallVector<Pair, kAtOnce> pairs;
  auto groupPairs = [&] {
    if (pairs.size() > 1) {
      InstructionOrder order;
      for (Pair pair : pairs)
        order.push_back(pair.comparison);
      for (Pair pair : pairs)
        order.push_back(pair.selection);
      reorder(block, order.front()->getIterator(), order);
      isChanged = true;
    }
    pairs.clear();
  };
  for (auto op = block.begin(); op != block.end();) {
    MachineInstr *selection = selectionBy(*op, kinds);
    bool isBound = selection && any_of(pairs, [&](Pair pair) { return readsResult(*op, *pair.selection, registers); });
    if (!selection || isBound || pairs.size() == kAtOnce)
      groupPairs();
    if (selection)
      pairs.push_back({&*op, selection});
    op = selection ? std::next(selection->getIterator()) : std::next(op);
  }
  groupPairs();
  return isChanged;
}

FunctionPass *createGroupMasksPass() { return new GroupMasks(); }

} // namespace hocket
