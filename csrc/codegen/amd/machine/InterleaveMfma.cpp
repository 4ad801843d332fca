//===- InterleaveMfma.cpp - Interleaves MFMA with VALU instructions -----------------------------===//
//
// Input:   machine instructions in LLVM's order.
// Output:  each run is reordered. The MFMAs keep their relative order, and all other instructions keep their relative
//          order.
// Method:  MFMAs are interleaved with the other instructions (QueueInterleaver.h). If two transcendental instructions
//          take as long as an MFMA, transcendental instructions are first interleaved with the other VALU instructions.
//          Without this first step, two transcendental instructions between MFMAs would delay the next MFMA, and a
//          single transcendental instruction would leave issue slots that only shorter instructions fill. The first
//          step is omitted after register allocation, and in runs with dependences between MFMAs and VALU instructions,
//          because it would change the order in which LLVM starts dependence chains.
// Cost:    linear in the length of a run.
//
//===--------------------------------------------------------------------------------------------===//
#include "codegen/amd/machine/InterleaveMfma.h"
#include "codegen/amd/machine/AmdInstructions.h"
#include "codegen/amd/machine/MachineReorderPass.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

class InterleaveMfma : public MachineReorderPass {
public:
  /// Pass IDs of the instance that runs before register allocation, and of the instance that runs after it. Two IDs are
  /// needed because LLVM's pass list identifies an insertion point by a pass ID.
  static char ID, allocatedID;
  InterleaveMfma(int transcendental, bool isAllocated)
      : MachineReorderPass(isAllocated ? allocatedID : ID, transcendental, isAllocated) {}

  StringRef getPassName() const override { return "Interleave MFMA"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    AmdInstructions kinds(function, transcendental);
    model.init(&function.getSubtarget());
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (auto begin = block.begin(); begin != block.end();) {
        auto endsRun = [&](MachineInstr &op) { return kinds.isBoundary(op) || AmdInstructions::isAccess(op); };
        auto end = std::find_if(begin, block.end(), endsRun);
        isChanged |= interleave(block, begin, end, kinds);
        begin = end == block.end() ? end : std::next(end);
      }
    return isChanged;
  }

private:
  TargetSchedModel model;

  bool interleave(MachineBasicBlock &block, MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end,
                  const AmdInstructions &kinds) {
    InstructionOrder run;
    for (MachineInstr &op : make_range(begin, end))
      run.push_back(&op);
    auto isMfma = [&](const MachineInstr &op) { return kinds.isMfma(op); };
    if (none_of(run, [&](MachineInstr *op) { return isMfma(*op); }))
      return false;
    // The time of an MFMA is its latency in passes of 4 clocks, the issue time of a VALU instruction.
    auto timeOf = [&](const MachineInstr &op) {
      return isMfma(op) ? int(model.computeInstrLatency(&op)) : kinds.valuTimeOf(op);
    };
    const TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
    InstructionQueues queues = divide(run, isMfma, timeOf, registers);
    if (queues.others.total == 0)
      return false;
    if (!isAllocated && queues.areIndependent() && fillsMfma(queues.first))
      interleaveTranscendentals(queues.others, kinds, registers);
    merge(block, begin, queues);
    return true;
  }

  /// True if two transcendental instructions take at least as long as an average MFMA of `mfmas`.
  bool fillsMfma(const InstructionQueue &mfmas) const {
    return int64_t(2 * transcendental * mfmas.times.size()) >= mfmas.total;
  }

  /// Interleaves the transcendental instructions of `arithmetic` with the other instructions of `arithmetic`. No
  /// instruction of `arithmetic` may depend on an MFMA.
  static void interleaveTranscendentals(InstructionQueue &arithmetic, const AmdInstructions &kinds,
                                        const TargetRegisterInfo &registers) {
    auto isTranscendental = [&](const MachineInstr &op) { return kinds.isTranscendental(op); };
    auto timeOf = [&](const MachineInstr &op) { return kinds.valuTimeOf(op); };
    InstructionQueue mixed;
    for (MachineInstr *op : divide(arithmetic.instructions, isTranscendental, timeOf, registers).merge())
      mixed.append(*op, 0, timeOf(*op));
    arithmetic = std::move(mixed);
  }
};

char InterleaveMfma::ID = 0, InterleaveMfma::allocatedID = 0;

} // namespace

FunctionPass *createInterleaveMfmaPass(int transcendental, bool isAllocated) {
  return new InterleaveMfma(transcendental, isAllocated);
}

} // namespace hocket
