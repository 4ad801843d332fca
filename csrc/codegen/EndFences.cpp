//===- EndFences.cpp - The end of what hides floats from the optimiser --------------===//
#include "codegen/EndFences.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

class EndFences : public MachineFunctionPass {
public:
  static char ID;
  EndFences() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "End arithmetic fences"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const MCInstrDesc &copy = function.getSubtarget().getInstrInfo()->get(TargetOpcode::COPY);
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block) {
        if (instruction.getOpcode() != TargetOpcode::ARITH_FENCE)
          continue;
        instruction.untieRegOperand(1);
        instruction.setDesc(copy);
        isChanged = true;
      }
    return isChanged;
  }
};

char EndFences::ID = 0;

} // namespace

FunctionPass *createEndFencesPass() { return new EndFences; }

} // namespace hocket
