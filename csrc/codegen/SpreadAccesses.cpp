//===- SpreadAccesses.cpp - Accesses of memory take turns with arithmetic ------------===//
//
// Input:    instructions in LLVM's order.
// Output:   in stages of a raised priority, accesses take turns with arithmetic (TakeTurns.h).
// Method:   from where the priority is raised, runs end at what arithmetic may not be moved over. What accesses need,
//           such as addresses and what they store, goes with them: what is stored may come from loads that are under
//           way, which would be waited for earlier. All else takes turns, one access counting as much as another.
// Not done: from the first instruction on that needs what an access of its run brings, or exchanges something between
//           lanes, nothing is moved: it waits, and would keep the accesses after it waiting. What else waits for a
//           load of an earlier stage is not known. Runs with products are left to LLVM, as is the part of a stage that
//           is in another block than its beginning.
// Cost:     each instruction of such a run is compared with its accesses, of which there are about 20.
//
//===------------------------------------------------------------------------------===//
#include "codegen/SpreadAccesses.h"
#include "codegen/AmdInstructions.h"
#include "codegen/ReorderPass.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

class SpreadAccesses : public ReorderPass {
public:
  static char ID;
  SpreadAccesses(int transcendental, bool isAllocated) : ReorderPass(ID, transcendental, isAllocated) {}

  StringRef getPassName() const override { return "Spread accesses of memory"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    AmdInstructions kinds(function, transcendental);
    bool isChanged = false;
    for (MachineBasicBlock &block : function) {
      bool goesFirst = false;
      for (auto begin = block.begin(); begin != block.end();) {
        auto end = std::find_if(begin, block.end(), [&](MachineInstr &op) {
          return goesFirst ? kinds.isWall(op) : kinds.priorityOf(op).has_value();
        });
        if (goesFirst)
          isChanged |= spread(block, begin, end, kinds);
        if (end == block.end())
          break;
        if (std::optional<int64_t> priority = kinds.priorityOf(*end))
          goesFirst = *priority > 0;
        begin = std::next(end);
      }
    }
    return isChanged;
  }

private:
  bool spread(MachineBasicBlock &block, MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end,
              const AmdInstructions &kinds);
};

char SpreadAccesses::ID = 0;

} // namespace

/// The instructions from `begin` on, up to the first that waits for one of them or exchanges something between lanes.
static InstructionOrder beforeWaits(MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end,
                                    const AmdInstructions &kinds, const TargetRegisterInfo &registers) {
  InstructionOrder run, loads;
  for (MachineInstr &op : make_range(begin, end)) {
    bool isAccess = AmdInstructions::isAccess(op);
    if (kinds.isExchange(op) ||
        (!isAccess && any_of(loads, [&](MachineInstr *load) { return readsResult(op, *load, registers); })))
      break;
    run.push_back(&op);
    if (isAccess && op.mayLoad())
      loads.push_back(&op);
  }
  return run;
}

/// Accesses, and what they need; LLVM's barriers stay among these.
static SmallPtrSet<const MachineInstr *, 32> accessesIn(ArrayRef<MachineInstr *> run, const AmdInstructions &kinds,
                                                        const TargetRegisterInfo &registers) {
  InstructionOrder accesses;
  for (MachineInstr *op : reverse(run))
    if (AmdInstructions::isAccess(*op) || kinds.letsArithmeticPass(*op) ||
        any_of(accesses, [&](MachineInstr *access) { return readsResult(*access, *op, registers); }))
      accesses.push_back(op);
  return {accesses.begin(), accesses.end()};
}

bool SpreadAccesses::spread(MachineBasicBlock &block, MachineBasicBlock::iterator begin,
                            MachineBasicBlock::iterator end, const AmdInstructions &kinds) {
  if (std::any_of(begin, end, [&](MachineInstr &op) { return kinds.isProduct(op); }))
    return false;
  const TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
  InstructionOrder run = beforeWaits(begin, end, kinds, registers);
  auto accesses = accessesIn(run, kinds, registers);
  auto isFirst = [&](const MachineInstr &op) { return accesses.contains(&op); };
  auto timeOf = [&](const MachineInstr &op) {
    return isFirst(op) ? int(AmdInstructions::isAccess(op)) : kinds.vectorTimeOf(op);
  };
  InstructionQueues queues = divide(run, isFirst, timeOf, registers);
  if (queues.first.total == 0 || queues.others.total == 0)
    return false;
  merge(block, begin, queues);
  return true;
}

FunctionPass *createSpreadAccessesPass(int transcendental, bool isAllocated) {
  return new SpreadAccesses(transcendental, isAllocated);
}

} // namespace hocket
