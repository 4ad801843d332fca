//===- AmdInstructions.cpp - What AMD's machine instructions are, by their names -----===//
#include "codegen/AmdInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

AmdInstructions::AmdInstructions(const MachineFunction &function, int transcendental)
    : names(function.getSubtarget().getInstrInfo()), transcendental(transcendental) {}

StringRef AmdInstructions::nameOf(const MachineInstr &op) const { return names->getName(op.getOpcode()); }

bool AmdInstructions::isProduct(const MachineInstr &op) const {
  StringRef name = nameOf(op);
  return name.starts_with("V_MFMA") || name.starts_with("V_SMFMAC");
}

bool AmdInstructions::isExchange(const MachineInstr &op) const {
  return !op.mayLoadOrStore() && nameOf(op).starts_with("DS_");
}

bool AmdInstructions::isSlow(const MachineInstr &op) const {
  return any_of(ArrayRef<StringRef>{"V_EXP_", "V_LOG_", "V_RCP_", "V_RSQ_", "V_SQRT_", "V_SIN_", "V_COS_"},
                [name = nameOf(op)](StringRef prefix) { return name.starts_with(prefix); });
}

bool AmdInstructions::isComparison(const MachineInstr &op) const {
  return nameOf(op).starts_with("V_CMP_") && nameOf(op).ends_with("_e64");
}

bool AmdInstructions::isSelection(const MachineInstr &op) const { return nameOf(op) == "V_CNDMASK_B32_e64"; }

std::optional<int64_t> AmdInstructions::priorityOf(const MachineInstr &op) const {
  if (!op.hasUnmodeledSideEffects() || nameOf(op) != "S_SETPRIO")
    return std::nullopt;
  return op.getOperand(0).getImm();
}

int AmdInstructions::vectorTimeOf(const MachineInstr &op) const {
  return isSlow(op) ? transcendental : nameOf(op).starts_with("V_") ? 1 : 0;
}

bool AmdInstructions::letsArithmeticPass(const MachineInstr &op) const {
  constexpr int64_t kArithmetic = 1, kProducts = 8;
  return nameOf(op) == "SCHED_BARRIER" && op.getOperand(0).getImm() & (kArithmetic | kProducts);
}

bool AmdInstructions::isWall(const MachineInstr &op) const {
  if (letsArithmeticPass(op) || isAccess(op))
    return false;
  return op.mayLoadOrStore() || (op.hasUnmodeledSideEffects() && !op.isInlineAsm()) || op.isPosition() || op.isCall() ||
         op.isTerminator() || op.isBundle() || op.isDebugInstr();
}

bool AmdInstructions::isAccess(const MachineInstr &op) {
  return op.mayLoadOrStore() && !op.hasUnmodeledSideEffects() && !op.isCall() && !op.isTerminator();
}

} // namespace hocket
