//===- PackF16InPlace.cpp - Rounds the upper float16 of a pair directly into its register -------===//
#include "codegen/amd/machine/PackF16InPlace.h"

#include "codegen/llvm/LlvmInternals.h"
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

// Encodings of the SDWA operands dst_sel, src0_sel and dst_unused. LLVM defines these encodings in SIDefines.h, which
// LLVM does not install.
constexpr int kUpperHalf = 5, kWhole = 6;
constexpr int kPreserveRest = 2;

class PackF16InPlace : public MachineFunctionPass {
public:
  static char ID;
  PackF16InPlace() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Pack float16 in place"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    names = function.getSubtarget().getInstrInfo();
    classes = function.getSubtarget().getRegisterInfo();
    registers = &function.getRegInfo();
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &op : make_early_inc_range(block))
        if (nameOf(op) == llvm_names::kPackF16)
          isChanged |= packInPlace(op);
    return isChanged;
  }

private:
  const TargetInstrInfo *names = nullptr;
  const TargetRegisterInfo *classes = nullptr;
  MachineRegisterInfo *registers = nullptr;

  StringRef nameOf(const MachineInstr &op) const { return names->getName(op.getOpcode()); }

  /// Returns the description of v_cvt_f16_f32_sdwa. The opcode is searched by name only once per process.
  const MCInstrDesc &halfRounding() const {
    static const unsigned opcode = [this] {
      auto opcodes = seq(0u, names->getNumOpcodes());
      return *find_if(opcodes, [this](unsigned one) { return names->getName(one) == llvm_names::kRoundToF16Sdwa; });
    }();
    return names->get(opcode);
  }

  bool isVector(Register value) const {
    return value.isVirtual() && classes->isDivergentRegClass(registers->getRegClass(value));
  }

  /// Returns the v_cvt_f16_f32 that defines the register `operand`, if this register has no other use. Returns null
  /// otherwise.
  MachineInstr *roundingOf(const MachineOperand &operand) const {
    if (!operand.isReg() || operand.getSubReg() || !isVector(operand.getReg()) ||
        !registers->hasOneNonDBGUse(operand.getReg()))
      return nullptr;
    MachineInstr *rounding = registers->getUniqueVRegDef(operand.getReg());
    return rounding && nameOf(*rounding) == llvm_names::kRoundToF16 ? rounding : nullptr;
  }

  /// Merges the v_pack_b32_f16 `pack` with the v_cvt_f16_f32 of its upper half; returns false if they cannot be merged.
  /// The operands of v_pack_b32_f16 are: result, modifiers, lower half, modifiers, upper half, clamp, op_sel. The
  /// operands of v_cvt_f16_f32 are: result, modifiers, number, clamp, omod. v_cvt_f16_f32_sdwa has three additional
  /// operands: dst_sel, dst_unused, src0_sel.
  bool packInPlace(MachineInstr &pack) const {
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

char PackF16InPlace::ID = 0;

} // namespace

FunctionPass *createPackF16InPlacePass() { return new PackF16InPlace; }

} // namespace hocket
