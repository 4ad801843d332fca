//===- ScheduleLoops.cpp - Restricts LLVM's post-RA scheduler to loops --------------------------===//
//
// Schedules the same regions as LLVM's PostMachineScheduler, with the scheduler of the AMDGPU target, but only in basic
// blocks that are in loops.
//
//===--------------------------------------------------------------------------------------------===//
#include "codegen/amd/machine/ScheduleLoops.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hocket {

namespace {

/// A scheduling region: the instructions between two scheduling boundaries.
struct Region {
  MachineBasicBlock::iterator begin, end;
  unsigned size; ///< number of instructions of the region, without debug instructions
};

class ScheduleLoops : public MachineFunctionPass {
public:
  static char ID;
  ScheduleLoops() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Schedule loops after register allocation"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.addRequired<AAResultsWrapperPass>();
    usage.addRequired<TargetPassConfig>();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    if (skipFunction(function.getFunction()))
      return false;
    MachineSchedContext context;
    context.MF = &function;
    context.MLI = &getAnalysis<MachineLoopInfoWrapperPass>().getLI();
    context.TM = &getAnalysis<TargetPassConfig>().getTM<TargetMachine>();
    context.AA = &getAnalysis<AAResultsWrapperPass>().getAAResults();
    std::unique_ptr<ScheduleDAGInstrs> scheduler(context.TM->createPostMachineScheduler(&context));
    for (MachineBasicBlock &block : function)
      if (context.MLI->empty() || context.MLI->getLoopFor(&block))
        schedule(block, *scheduler);
    scheduler->finalizeSchedule();
    return true;
  }

private:
  /// Returns the scheduling regions of `block` from last to first, which is the order of LLVM's PostMachineScheduler.
  static SmallVector<Region> regionsOf(MachineBasicBlock &block) {
    const MachineFunction &function = *block.getParent();
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    auto isBoundary = [&](const MachineInstr &op) {
      return op.isCall() || instructions.isSchedulingBoundary(op, &block, function);
    };
    SmallVector<Region> regions;
    for (MachineBasicBlock::iterator end = block.end(), begin = end; end != block.begin(); end = begin) {
      if (end != block.end() || isBoundary(*std::prev(end)))
        --end;
      unsigned size = 0;
      for (begin = end; begin != block.begin() && !isBoundary(*std::prev(begin)); --begin)
        size += !std::prev(begin)->isDebugOrPseudoInstr();
      if (size > 0)
        regions.push_back({begin, end, size});
    }
    return regions;
  }

  static void schedule(MachineBasicBlock &block, ScheduleDAGInstrs &scheduler) {
    SmallVector<Region> regions = regionsOf(block);
    if (scheduler.doMBBSchedRegionsTopDown())
      std::reverse(regions.begin(), regions.end());
    scheduler.startBlock(&block);
    for (const Region &region : regions) {
      scheduler.enterRegion(&block, region.begin, region.end, region.size);
      if (region.begin != std::prev(region.end))
        scheduler.schedule();
      scheduler.exitRegion();
    }
    scheduler.finishBlock();
    scheduler.fixupKills(block);
  }
};

char ScheduleLoops::ID = 0;

} // namespace

FunctionPass *createScheduleLoopsPass() { return new ScheduleLoops(); }

} // namespace hocket
