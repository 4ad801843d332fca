//===- RemoveArithFences.cpp - Turns ARITH_FENCE into COPY after instruction selection ----------===//
#include "codegen/amd/machine/RemoveArithFences.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

class RemoveArithFences : public MachineFunctionPass {
public:
  static char ID;
  RemoveArithFences() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Remove arithmetic fences"; }

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

char RemoveArithFences::ID = 0;

} // namespace

FunctionPass *createRemoveArithFencesPass() { return new RemoveArithFences; }

} // namespace hocket
