//===- QueueInterleaver.cpp - Merges two queues of instructions in proportion to their times ----===//
//
// The cost is linear in the number of instructions: for each register and each queue, only the last read and the last
// write of the register are tracked. No instruction is moved across more than kReach instructions of the other queue.
//
//===--------------------------------------------------------------------------------------------===//
#include "codegen/amd/machine/QueueInterleaver.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBundle.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

/// An instruction is moved across at most this number of instructions of the other queue.
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
  size_t i = 0, j = 0; // numbers of instructions of `first` and of `others` that are already in `order`
  int64_t time = 0, timeOfOthers = 0;
  size_t count = first.instructions.size(), countOfOthers = others.instructions.size();
  while (i < count || j < countOfOthers) {
    bool isDue = timeOfOthers * first.total >= others.total * time;
    bool canIssue = i < count && j >= first.needed[i], canIssueOther = j < countOfOthers && i >= others.needed[j];
    if (canIssue && (isDue || !canIssueOther)) {
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

/// Calls `visit(part, isWritten)` for each register that `op` reads or writes. `part` is the number of a virtual
/// register, or of each register unit of a physical register.
static void forEachRegister(const MachineInstr &op, const TargetRegisterInfo &registers,
                            function_ref<void(unsigned part, bool isWritten)> visit) {
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

namespace {

/// Last read and last write of each register by the instructions of one queue, given as instruction counts.
class Accesses {
public:
  explicit Accesses(const TargetRegisterInfo &registers) : registers(registers) {}

  /// Adds the register accesses of `op`, which is instruction number `count` of the queue, counted from 1.
  void add(const MachineInstr &op, unsigned count) {
    forEachRegister(op, registers, [&](unsigned part, bool isWritten) {
      (isWritten ? lastOf[part].written : lastOf[part].read) = count;
    });
  }

  /// Returns the number of instructions of this queue that must be issued before `op`, an instruction of the other
  /// queue: all instructions up to the last one on which `op` depends.
  unsigned countBefore(const MachineInstr &op) const {
    unsigned count = 0;
    forEachRegister(op, registers, [&](unsigned part, bool isWritten) {
      Last last = lastOf.lookup(part);
      count = std::max({count, last.written, isWritten ? last.read : 0});
    });
    return count;
  }

private:
  struct Last {
    unsigned read = 0, written = 0;
  };

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

bool keepsDependences(ArrayRef<MachineInstr *> order, const TargetRegisterInfo &registers) {
  // Maps each instruction of `order` to its current position among these instructions in the basic block.
  SmallDenseSet<const MachineInstr *> moved(order.begin(), order.end());
  DenseMap<const MachineInstr *, int> positions;
  for (const MachineInstr &op : *order.front()->getParent())
    if (moved.contains(&op))
      positions[&op] = positions.size();

  struct Latest {
    int read = -1, written = -1;
  };
  DenseMap<unsigned, Latest> ofRegister;
  Latest ofMemory;
  bool isKept = true;
  auto visit = [&](Latest &latest, int position, bool isWritten) {
    isKept &= position >= latest.written && (!isWritten || position >= latest.read);
    int &last = isWritten ? latest.written : latest.read;
    last = std::max(last, position);
  };
  for (const MachineInstr *op : order) {
    int position = positions.lookup(op);
    forEachRegister(*op, registers,
                    [&](unsigned part, bool isWritten) { visit(ofRegister[part], position, isWritten); });
    if (op->mayLoadOrStore())
      visit(ofMemory, position, op->mayStore() || op->hasUnmodeledSideEffects());
  }
  return isKept;
}

/// Clears the kill flags of `op`: after the reordering, another instruction may be the last reader of a register.
static void clearKillFlags(MachineInstr &op) {
  for (MachineInstr &each : make_range(op.getIterator(), getBundleEnd(op.getIterator())))
    for (MachineOperand &operand : each.all_uses())
      operand.setIsKill(false);
}

void place(MachineBasicBlock &block, MachineBasicBlock::iterator begin, ArrayRef<MachineInstr *> order,
           LiveIntervals *intervals) {
  assert(keepsDependences(order, *block.getParent()->getSubtarget().getRegisterInfo()));
  for (MachineInstr *op : order) {
    clearKillFlags(*op);
    if (begin == op->getIterator()) {
      ++begin;
      continue;
    }
    // Hoists `op` to `begin`. The instructions between `begin` and `op` keep their order.
    block.splice(begin, &block, op->getIterator());
    if (intervals)
      intervals->handleMove(*op);
  }
}

} // namespace hocket
