//===- TakeTurns.cpp - Two queues of instructions are merged by how long they take ---===//
//
// Cost: an instruction is compared with at most kReach of the other queue in front of it; nothing is moved further. For
// attention's stages, of 16 or 32 products and 100 others, that is all.
//
//===------------------------------------------------------------------------------===//
#include "codegen/TakeTurns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineInstrBundle.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"

using namespace llvm;

namespace hocket {

/// Over so many instructions of the other queue one may be moved.
static constexpr unsigned kReach = 256;

void InstructionQueue::append(MachineInstr &op, unsigned neededOfOther, int time) {
  instructions.push_back(&op);
  needed.push_back(neededOfOther);
  times.push_back(time);
  total += time;
}

bool InstructionQueues::areIndependent() const {
  auto isZero = [](unsigned count) { return count == 0; };
  return all_of(first.needed, isZero) && all_of(others.needed, isZero);
}

InstructionOrder InstructionQueues::merge() const {
  InstructionOrder order;
  size_t i = 0, j = 0; // of either queue, how many have been issued
  int64_t time = 0, timeOfOthers = 0;
  size_t count = first.instructions.size(), countOfOthers = others.instructions.size();
  while (i < count || j < countOfOthers) {
    bool isDue = timeOfOthers * first.total >= others.total * time;
    bool canGo = i < count && j >= first.needed[i], canOtherGo = j < countOfOthers && i >= others.needed[j];
    if (canGo && (isDue || !canOtherGo)) {
      time += first.times[i];
      order.push_back(first.instructions[i++]);
    } else {
      timeOfOthers += others.times[j];
      order.push_back(others.instructions[j++]);
    }
  }
  return order;
}

bool areOrdered(const MachineInstr &a, const MachineInstr &b, const TargetRegisterInfo &registers) {
  for (const MachineOperand &one : a.operands())
    for (const MachineOperand &other : b.operands())
      if (one.isReg() && other.isReg() && one.getReg() && other.getReg() && (one.isDef() || other.isDef()) &&
          registers.regsOverlap(one.getReg(), other.getReg()))
        return true;
  return false;
}

bool readsResult(const MachineInstr &op, const MachineInstr &earlier, const TargetRegisterInfo &registers) {
  for (const MachineOperand &result : earlier.all_defs())
    for (const MachineOperand &operand : op.all_uses())
      if (result.getReg() && operand.getReg() && registers.regsOverlap(result.getReg(), operand.getReg()))
        return true;
  return false;
}

InstructionQueues divide(ArrayRef<MachineInstr *> run, function_ref<bool(const MachineInstr &)> isFirst,
                         function_ref<int(const MachineInstr &)> timeOf, const TargetRegisterInfo &registers) {
  InstructionQueues queues;
  for (MachineInstr *op : run) {
    bool goesFirst = isFirst(*op);
    ArrayRef<MachineInstr *> other = (goesFirst ? queues.others : queues.first).instructions;
    unsigned count = other.size(), needed = count;
    while (needed > 0 && count - needed < kReach && !areOrdered(*other[needed - 1], *op, registers))
      --needed;
    (goesFirst ? queues.first : queues.others).append(*op, needed, timeOf(*op));
  }
  return queues;
}

/// Where a register is read last may have changed.
static void forgetLastReads(MachineInstr &op) {
  for (MachineInstr &each : make_range(op.getIterator(), getBundleEnd(op.getIterator())))
    for (MachineOperand &operand : each.all_uses())
      operand.setIsKill(false);
}

void place(MachineBasicBlock &block, MachineBasicBlock::iterator begin, ArrayRef<MachineInstr *> order,
           LiveIntervals *intervals) {
  for (MachineInstr *op : order) {
    forgetLastReads(*op);
    if (begin == op->getIterator()) {
      ++begin;
      continue;
    }
    // Up, over what it does not depend on: all others are where they were.
    block.splice(begin, &block, op->getIterator());
    if (intervals)
      intervals->handleMove(*op);
  }
}

} // namespace hocket
