//===- ReorderPass.h - A pass that gives runs of instructions another order ----------===//
//
// After one of LLVM's schedulers for AMD GPUs: that before registers are allocated, which keeps account of where values
// live, or that after it. What takes turns with what is the derived pass's business; TakeTurns.h does it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_REORDERPASS_H
#define HOCKET_CODEGEN_REORDERPASS_H

#include "codegen/TakeTurns.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunctionPass.h"

namespace hocket {

class ReorderPass : public llvm::MachineFunctionPass {
public:
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    if (!isAllocated) {
      usage.addRequired<llvm::LiveIntervalsWrapperPass>();
      usage.addPreserved<llvm::LiveIntervalsWrapperPass>();
      usage.addPreserved<llvm::SlotIndexesWrapperPass>();
    }
    MachineFunctionPass::getAnalysisUsage(usage);
  }

protected:
  /// An exponential and its like take as long as `transcendental` others.
  ReorderPass(char &id, int transcendental, bool isAllocated)
      : MachineFunctionPass(id), transcendental(transcendental), isAllocated(isAllocated) {}

  /// Puts the instructions from `begin` on into the order in which the queues take turns.
  void merge(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin, const InstructionQueues &queues) {
    reorder(block, begin, queues.merge());
  }

  /// Puts the instructions of `order`, which are all that follow `begin`, into that order.
  void reorder(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin,
               llvm::ArrayRef<llvm::MachineInstr *> order) {
    using llvm::LiveIntervalsWrapperPass;
    place(block, begin, order, isAllocated ? nullptr : &getAnalysis<LiveIntervalsWrapperPass>().getLIS());
  }

  const int transcendental;
  const bool isAllocated;
};

} // namespace hocket

#endif
