//===- TakeTurns.h - Two queues of instructions are merged by how long they take -----===//
//
// Some instructions of a run, such as products, keep one unit busy, the others another. In LLVM's order they may stand
// in heaps. Dealt evenly, each queue in its own order, they keep both units busy:
//
//   P P P P a a a a a a a a     ->     P a a P a a P a a P a a
//
// One of the first is due once as large a share of the others' time has been issued as of its own queue's. What is not
// due, or needs what the other queue has not issued, waits. The earliest of all that wait is never held up, so one of
// the two can always go. The result depends on the run alone.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_TAKETURNS_H
#define HOCKET_CODEGEN_TAKETURNS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineBasicBlock.h"

namespace llvm {
class LiveIntervals;
class TargetRegisterInfo;
} // namespace llvm

namespace hocket {

using InstructionOrder = llvm::SmallVector<llvm::MachineInstr *>;

/// One of the two queues of a run.
struct InstructionQueue {
  InstructionOrder instructions;
  /// For each of these, how many of the other queue must have been issued, and how long it takes.
  llvm::SmallVector<unsigned> needed;
  llvm::SmallVector<int> times;
  int64_t total = 0; ///< of times

  void append(llvm::MachineInstr &op, unsigned neededOfOther, int time);
};

struct InstructionQueues {
  InstructionQueue first, others;

  /// Whether neither needs anything of the other.
  bool areIndependent() const;
  InstructionOrder merge() const;
};

/// Whether `op` reads a register that `earlier` writes.
bool readsResult(const llvm::MachineInstr &op, const llvm::MachineInstr &earlier,
                 const llvm::TargetRegisterInfo &registers);

/// `run` in two queues. Of two instructions, one needs the other if it reads or writes what that writes, or writes what
/// it reads.
InstructionQueues divide(llvm::ArrayRef<llvm::MachineInstr *> run,
                         llvm::function_ref<bool(const llvm::MachineInstr &)> isFirst,
                         llvm::function_ref<int(const llvm::MachineInstr &)> timeOf,
                         const llvm::TargetRegisterInfo &registers);

/// Puts the instructions of `order`, which are all that follow `begin`, into that order. `intervals`: kept up to date,
/// unless null.
void place(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin,
           llvm::ArrayRef<llvm::MachineInstr *> order, llvm::LiveIntervals *intervals);

} // namespace hocket

#endif
