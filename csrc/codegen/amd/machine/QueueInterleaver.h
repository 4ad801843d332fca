//===- QueueInterleaver.h - Merges two queues of instructions in proportion to their times ------===//
//
// Some instructions of a run, e.g. MFMAs, keep one unit busy, and the other instructions keep another unit busy. In
// LLVM's order, each kind may come in bursts. If the queues of both kinds are interleaved evenly, each in its own
// order, both units are busy all the time:
//
//   M M M M a a a a a a a a     ->     M a a M a a M a a M a a
//
// At each step, either queue may issue its next instruction. Let the progress of a queue be the time of its issued
// instructions, divided by the time of all of its instructions. The first queue issues if its progress is not ahead of
// the progress of the other queue; otherwise the other queue issues. A queue cannot issue if its next instruction
// depends on an instruction of the other queue that has not been issued. Both queues are in LLVM's order, so at least
// one of them can always issue.
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

/// The instructions of one of the two queues of a run, in order.
struct InstructionQueue {
  InstructionOrder instructions;
  /// `needed`: for each instruction, the number of instructions of the other queue that must be issued before it.
  /// `times`: the time of each instruction.
  llvm::SmallVector<unsigned> needed;
  llvm::SmallVector<int> times;
  int64_t total = 0; ///< sum of `times`

  void append(llvm::MachineInstr &op, unsigned neededOfOther, int time);
};

struct InstructionQueues {
  InstructionQueue first, others;

  /// True if no instruction depends on an instruction of the other queue.
  bool areIndependent() const;
  InstructionOrder merge() const;
};

/// True if `op` reads a register that `earlier` writes.
bool readsResult(const llvm::MachineInstr &op, const llvm::MachineInstr &earlier,
                 const llvm::TargetRegisterInfo &registers);

/// Splits `run` into two queues, the first of which holds the instructions for which `isFirst` is true. An instruction
/// depends on an earlier one if one of the two writes a register that the other one reads or writes.
InstructionQueues divide(llvm::ArrayRef<llvm::MachineInstr *> run,
                         llvm::function_ref<bool(const llvm::MachineInstr &)> isFirst,
                         llvm::function_ref<int(const llvm::MachineInstr &)> timeOf,
                         const llvm::TargetRegisterInfo &registers);

/// Reorders the instructions from `begin` on into `order`, which holds each of them once. Updates `intervals` unless it
/// is null. Builds with assertions check that each dependence through registers or memory is kept.
void place(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin,
           llvm::ArrayRef<llvm::MachineInstr *> order, llvm::LiveIntervals *intervals);

/// True if `order` keeps all dependences of the current order of its instructions. Two accesses of a register are not
/// reordered if one of them is a write. Two memory accesses are not reordered if one of them is a store or has other
/// side effects.
bool keepsDependences(llvm::ArrayRef<llvm::MachineInstr *> order, const llvm::TargetRegisterInfo &registers);

} // namespace hocket

#endif
