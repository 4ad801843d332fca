//===- QueueInterleaver.h - Merges two queues of instructions in proportion to their times ------===//
//
// The instructions of a run are split into two queues, one for each of two units, e.g. MFMAs for the matrix core and
// all other instructions for the VALU. In LLVM's order, the instructions for one unit may come in bursts. If the two
// queues are interleaved evenly, each in its own order, both units are busy all the time:
//
//   M M M M a a a a a a a a     ->     M a a M a a M a a M a a
//
// At each step, either queue may issue its next instruction. The progress of a queue is the total time of its issued
// instructions, divided by the total time of all its instructions. If the progress of the first queue is not greater
// than the progress of the second queue, the first queue issues; otherwise the second queue issues. A queue cannot
// issue its next instruction if this instruction depends on an instruction of the other queue that has not been issued;
// the other queue then issues. Both queues are in LLVM's order, so at least one of them can always issue.
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

/// One of the two queues of a run, with its instructions in LLVM's order.
struct InstructionQueue {
  InstructionOrder instructions;
  /// `needed[i]` is the number of instructions of the other queue that must be issued before instruction i of this
  /// queue. `times[i]` is the time of instruction i, in any unit that is common to the instructions of the queue.
  llvm::SmallVector<unsigned> needed;
  llvm::SmallVector<int> times;
  int64_t total = 0; ///< sum of all elements of `times`

  void append(llvm::MachineInstr &op, unsigned neededOfOther, int time);
};

struct InstructionQueues {
  InstructionQueue first, others;

  /// True if no instruction of either queue depends on an instruction of the other queue.
  bool areIndependent() const;
  InstructionOrder merge() const;
};

/// True if `op` reads a register that `earlier` writes.
bool readsResult(const llvm::MachineInstr &op, const llvm::MachineInstr &earlier,
                 const llvm::TargetRegisterInfo &registers);

/// Splits `run` into two queues, the first of which holds the instructions for which `isFirst` is true. Two
/// instructions depend on each other if one of them writes a register that the other reads or writes; their order is
/// then kept.
InstructionQueues divide(llvm::ArrayRef<llvm::MachineInstr *> run,
                         llvm::function_ref<bool(const llvm::MachineInstr &)> isFirst,
                         llvm::function_ref<int(const llvm::MachineInstr &)> timeOf,
                         const llvm::TargetRegisterInfo &registers);

/// Reorders consecutive instructions of `block`, starting at `begin`, into `order`, a permutation of these
/// instructions. Updates `intervals` unless `intervals` is null. In builds with assertions, verifies that the new order
/// keeps all dependences through registers and memory.
void place(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin,
           llvm::ArrayRef<llvm::MachineInstr *> order, llvm::LiveIntervals *intervals);

/// True if moving the instructions into `order` would keep all dependences of their current order in the basic block.
/// `order` must not exchange two accesses to a register if one of them is a write, nor two memory accesses if one of
/// them is a store or has other side effects.
bool keepsDependences(llvm::ArrayRef<llvm::MachineInstr *> order, const llvm::TargetRegisterInfo &registers);

} // namespace hocket

#endif
