//===- QueueInterleaver.h - Merges two queues of instructions in proportion to their times ------===//
//
// Some instructions of a run, e.g. MFMA, keep one unit busy, the others another. LLVM's order may leave them in bursts.
// Interleaved evenly, each queue in its own order, they keep both units busy:
//
//   M M M M a a a a a a a a     ->     M a a M a a M a a M a a
//
// An instruction of the first queue is due once the issued fraction of the other queue's time has reached the issued
// fraction of its own queue's. An instruction that is not due, or that depends on instructions of the other queue which
// are not issued yet, waits. The instruction that is earliest in LLVM's order among those not issued never waits, so
// one of the two queues can always issue. The result depends on the run alone.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_QUEUEINTERLEAVER_H
#define HOCKET_CODEGEN_AMD_MACHINE_QUEUEINTERLEAVER_H

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
  /// Per instruction: the number of instructions of the other queue that must be issued before it, and its time.
  llvm::SmallVector<unsigned> needed;
  llvm::SmallVector<int> times;
  int64_t total = 0; ///< sum of times

  void append(llvm::MachineInstr &op, unsigned neededOfOther, int time);
};

struct InstructionQueues {
  InstructionQueue first, others;

  /// True if no instruction of either queue depends on one of the other.
  bool areIndependent() const;
  InstructionOrder merge() const;
};

/// True if `op` reads a register that `earlier` writes.
bool readsResult(const llvm::MachineInstr &op, const llvm::MachineInstr &earlier,
                 const llvm::TargetRegisterInfo &registers);

/// Splits `run` into two queues. An instruction depends on an earlier one if it reads or writes a register that the
/// earlier one writes, or writes a register that the earlier one reads.
InstructionQueues divide(llvm::ArrayRef<llvm::MachineInstr *> run,
                         llvm::function_ref<bool(const llvm::MachineInstr &)> isFirst,
                         llvm::function_ref<int(const llvm::MachineInstr &)> timeOf,
                         const llvm::TargetRegisterInfo &registers);

/// Reorders the instructions that follow `begin` into `order`, which holds each of them once. Updates `intervals`
/// unless it is null. Builds with assertions check that each dependence through registers or memory is kept.
void place(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin,
           llvm::ArrayRef<llvm::MachineInstr *> order, llvm::LiveIntervals *intervals);

/// True if `order` keeps each dependence of the current order of its instructions: every write of a register stays on
/// its side of each other access of it, every store and every instruction with side effects on its side of each memory
/// access.
bool keepsDependences(llvm::ArrayRef<llvm::MachineInstr *> order, const llvm::TargetRegisterInfo &registers);

} // namespace hocket

#endif
