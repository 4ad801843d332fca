//===- MachineReorderPass.h - Base class of passes that reorder runs of instructions ------------===//
//
// A derived pass runs after one of LLVM's two machine schedulers for AMD GPUs, one of which runs before register
// allocation and the other after it. Before register allocation, the derived pass must update the live intervals.
// QueueInterleaver.h computes the new order.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_MACHINEREORDERPASS_H
#define HOCKET_CODEGEN_AMD_MACHINE_MACHINEREORDERPASS_H

#include "codegen/amd/machine/QueueInterleaver.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunctionPass.h"

namespace hocket {

class MachineReorderPass : public llvm::MachineFunctionPass {
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
  /// `transcendental` is the issue time of a transcendental instruction, as a multiple of the issue time of other VALU
  /// instructions. `isAllocated` is true if the pass runs after register allocation.
  MachineReorderPass(char &id, int transcendental, bool isAllocated)
      : MachineFunctionPass(id), transcendental(transcendental), isAllocated(isAllocated) {}

  /// Interleaves the two queues of `queues`, which together hold the consecutive instructions of `block` that start at
  /// `begin`.
  void merge(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin, const InstructionQueues &queues) {
    reorder(block, begin, queues.merge());
  }

  /// Reorders consecutive instructions of `block`, starting at `begin`, into `order`, a permutation of these
  /// instructions.
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
