//===- TakeTurns.cpp - Two queues of instructions are merged by how long they take ---===//
//
// Cost: linear. Of each register it is known which instruction of a queue has last read and written it. Nothing is
// moved over more than kReach of the other queue.
//
//===------------------------------------------------------------------------------===//
#include "codegen/TakeTurns.h"

#include "llvm/ADT/DenseMap.h"
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

bool readsResult(const MachineInstr &op, const MachineInstr &earlier, const TargetRegisterInfo &registers) {
  for (const MachineOperand &result : earlier.all_defs())
    for (const MachineOperand &operand : op.all_uses())
      if (result.getReg() && operand.getReg() && registers.regsOverlap(result.getReg(), operand.getReg()))
        return true;
  return false;
}

namespace {

/// What the instructions of a queue do to registers.
class Accesses {
public:
  explicit Accesses(const TargetRegisterInfo &registers) : registers(registers) {}

  /// `op` is the last of `count` instructions.
  void add(const MachineInstr &op, unsigned count) {
    forEachPart(op,
                [&](unsigned part, bool isWritten) { (isWritten ? lastOf[part].written : lastOf[part].read) = count; });
  }

  /// How many of them must stay before `op`: up to the last that writes what `op` reads or writes, or reads what it
  /// writes.
  unsigned countBefore(const MachineInstr &op) const {
    unsigned count = 0;
    forEachPart(op, [&](unsigned part, bool isWritten) {
      Last last = lastOf.lookup(part);
      count = std::max({count, last.written, isWritten ? last.read : 0});
    });
    return count;
  }

private:
  struct Last {
    unsigned read = 0, written = 0;
  };

  /// Calls `visit(part, isWritten)` with each virtual register, and each unit of the others.
  template <typename Visit>
  void forEachPart(const MachineInstr &op, Visit visit) const {
    for (const MachineOperand &operand : op.operands()) {
      if (!operand.isReg() || !operand.getReg())
        continue;
      if (operand.getReg().isVirtual())
        visit(operand.getReg().id(), operand.isDef());
      else
        for (MCRegUnit unit : registers.regunits(operand.getReg()))
          visit(unsigned(unit), operand.isDef());
    }
  }

  const TargetRegisterInfo &registers;
  DenseMap<unsigned, Last> lastOf;
};

} // namespace

InstructionQueues divide(ArrayRef<MachineInstr *> run, function_ref<bool(const MachineInstr &)> isFirst,
                         function_ref<int(const MachineInstr &)> timeOf, const TargetRegisterInfo &registers) {
  InstructionQueues queues;
  Accesses ofFirst(registers), ofOthers(registers);
  for (MachineInstr *op : run) {
    bool goesFirst = isFirst(*op);
    InstructionQueue &own = goesFirst ? queues.first : queues.others;
    Accesses &ownAccesses = goesFirst ? ofFirst : ofOthers;
    const Accesses &otherAccesses = goesFirst ? ofOthers : ofFirst;
    unsigned count = (goesFirst ? queues.others : queues.first).instructions.size();
    own.append(*op, std::max(otherAccesses.countBefore(*op), count - std::min(count, kReach)), timeOf(*op));
    ownAccesses.add(*op, own.instructions.size());
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
