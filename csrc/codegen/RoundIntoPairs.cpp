//===- RoundIntoPairs.cpp - A half is rounded to where its pair is ---------------------===//
#include "codegen/RoundIntoPairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

// What an SDWA instruction reads and writes (LLVM's SIDefines.h, which is not installed).
constexpr int kUpperHalf = 5, kWhole = 6;
constexpr int kPreserveRest = 2;

class RoundIntoPairs : public MachineFunctionPass {
public:
  static char ID;
  RoundIntoPairs() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Round into pairs"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    names = function.getSubtarget().getInstrInfo();
    classes = function.getSubtarget().getRegisterInfo();
    registers = &function.getRegInfo();
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &op : make_early_inc_range(block))
        if (nameOf(op) == "V_PACK_B32_F16_e64")
          isChanged |= roundIntoPair(op);
    return isChanged;
  }

private:
  const TargetInstrInfo *names = nullptr;
  const TargetRegisterInfo *classes = nullptr;
  MachineRegisterInfo *registers = nullptr;

  StringRef nameOf(const MachineInstr &op) const { return names->getName(op.getOpcode()); }

  /// The opcode of the rounding that keeps the rest of its register; the same in each of this process's modules.
  const MCInstrDesc &halfRounding() const {
    static const unsigned opcode = [this] {
      auto opcodes = seq(0u, names->getNumOpcodes());
      return *find_if(opcodes, [this](unsigned one) { return names->getName(one) == "V_CVT_F16_F32_sdwa"; });
    }();
    return names->get(opcode);
  }

  bool isVector(Register value) const {
    return value.isVirtual() && classes->isDivergentRegClass(registers->getRegClass(value));
  }

  /// What `operand` is rounded by, if that is for it alone.
  MachineInstr *roundingOf(const MachineOperand &operand) const {
    if (!operand.isReg() || operand.getSubReg() || !isVector(operand.getReg()) ||
        !registers->hasOneNonDBGUse(operand.getReg()))
      return nullptr;
    MachineInstr *rounding = registers->getUniqueVRegDef(operand.getReg());
    return rounding && nameOf(*rounding) == "V_CVT_F16_F32_e64" ? rounding : nullptr;
  }

  /// pack: result, modifiers, lower half, modifiers, upper half, clamp, op_sel. Rounding: result, modifiers, number,
  /// clamp, omod; what it is to select from and write follows.
  bool roundIntoPair(MachineInstr &pack) const {
    bool isPlain = all_of(ArrayRef{1, 3, 5, 6}, [&](int number) { return pack.getOperand(number).getImm() == 0; });
    const MachineOperand &lower = pack.getOperand(2);
    MachineInstr *upper = roundingOf(pack.getOperand(4));
    if (!isPlain || !roundingOf(lower) || !upper)
      return false;
    const MachineOperand &number = upper->getOperand(2);
    if (!number.isReg() || !isVector(number.getReg()))
      return false;
    auto rounding = BuildMI(*pack.getParent(), pack, pack.getDebugLoc(), halfRounding(), pack.getOperand(0).getReg())
                        .addImm(upper->getOperand(1).getImm())
                        .addReg(number.getReg(), {}, number.getSubReg())
                        .addImm(upper->getOperand(3).getImm())
                        .addImm(upper->getOperand(4).getImm())
                        .addImm(kUpperHalf)
                        .addImm(kPreserveRest)
                        .addImm(kWhole)
                        .addReg(lower.getReg(), RegState::Implicit);
    rounding->tieOperands(0, rounding->getNumOperands() - 1);
    registers->clearKillFlags(number.getReg());
    pack.eraseFromParent();
    upper->eraseFromParent();
    return true;
  }
};

char RoundIntoPairs::ID = 0;

} // namespace

FunctionPass *createRoundIntoPairsPass() { return new RoundIntoPairs; }

} // namespace hocket
