//===- BatchCompares.cpp - Issues compares in batches before the selects that use them ----------===//
//
// Input:    machine instructions in LLVM's order, with virtual registers.
// Output:   a sequence of pairs, each a compare and the select that uses its mask, becomes batches of kBatch compares
//           followed by their selects.
// Method:   a compare is hoisted across selects that it does not depend on.
// Not done: masks with several uses, and compares that are not directly followed by their select.
//
//===--------------------------------------------------------------------------------------------===//
#include "codegen/amd/machine/BatchCompares.h"
#include "codegen/amd/machine/AmdInstructions.h"
#include "codegen/amd/machine/MachineReorderPass.h"

#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

/// Number of compares in a batch. In a batch of three, each compare and its select are separated by two other
/// instructions, which take the place of the two wait states. A larger batch would need more scalar registers for the
/// masks.
static constexpr size_t kBatch = 3;

namespace {

struct Pair {
  MachineInstr *compare, *select;
};

class BatchCompares : public MachineReorderPass {
public:
  static char ID;
  BatchCompares() : MachineReorderPass(ID, /*transcendental=*/1, /*isAllocated=*/false) {}

  StringRef getPassName() const override { return "Batch compares"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    AmdInstructions kinds(function, transcendental);
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      isChanged |= batch(block, kinds);
    return isChanged;
  }

private:
  bool batch(MachineBasicBlock &block, const AmdInstructions &kinds);
};

char BatchCompares::ID = 0;

} // namespace

/// Returns the select that directly follows `compare`, if this select is the only user of the mask that `compare`
/// writes. Returns null otherwise.
static MachineInstr *selectOf(MachineInstr &compare, const AmdInstructions &kinds) {
  auto next = std::next(compare.getIterator());
  if (!kinds.isCompare(compare) || next == compare.getParent()->end() || !kinds.isSelect(*next))
    return nullptr;
  Register mask = compare.getOperand(0).getReg();
  const MachineRegisterInfo &registers = compare.getMF()->getRegInfo();
  bool isOnly = mask.isVirtual() && registers.hasOneNonDBGUse(mask) && next->readsVirtualRegister(mask);
  return isOnly ? &*next : nullptr;
}

bool BatchCompares::batch(MachineBasicBlock &block, const AmdInstructions &kinds) {
  const TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
  bool isChanged = false;
  SmallVector<Pair, kBatch> pairs;
  auto flush = [&] {
    if (pairs.size() > 1) {
      InstructionOrder order;
      for (Pair pair : pairs)
        order.push_back(pair.compare);
      for (Pair pair : pairs)
        order.push_back(pair.select);
      reorder(block, order.front()->getIterator(), order);
      isChanged = true;
    }
    pairs.clear();
  };
  for (auto op = block.begin(); op != block.end();) {
    MachineInstr *select = selectOf(*op, kinds);
    bool isBound = select && any_of(pairs, [&](Pair pair) { return readsResult(*op, *pair.select, registers); });
    if (!select || isBound || pairs.size() == kBatch)
      flush();
    if (select)
      pairs.push_back({&*op, select});
    op = select ? std::next(select->getIterator()) : std::next(op);
  }
  flush();
  return isChanged;
}

FunctionPass *createBatchComparesPass() { return new BatchCompares(); }

} // namespace hocket
