//===- AmdInstructions.cpp - Classifies AMD machine instructions by opcode name -----------------===//
#include "codegen/amd/machine/AmdInstructions.h"

#include "codegen/llvm/LlvmInternals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

AmdInstructions::AmdInstructions(const MachineFunction &function, int transcendental)
    : names(function.getSubtarget().getInstrInfo()), transcendental(transcendental) {}

StringRef AmdInstructions::nameOf(const MachineInstr &op) const { return names->getName(op.getOpcode()); }

bool AmdInstructions::isMfma(const MachineInstr &op) const {
  StringRef name = nameOf(op);
  return name.starts_with(llvm_names::kMfma) || name.starts_with(llvm_names::kSparseMfma);
}

bool AmdInstructions::isExchange(const MachineInstr &op) const {
  return !op.mayLoadOrStore() && nameOf(op).starts_with(llvm_names::kLds);
}

bool AmdInstructions::isTranscendental(const MachineInstr &op) const {
  return any_of(llvm_names::kTranscendental,
                [name = nameOf(op)](StringRef prefix) { return name.starts_with(prefix); });
}

bool AmdInstructions::isCompare(const MachineInstr &op) const {
  return nameOf(op).starts_with(llvm_names::kCompare) && nameOf(op).ends_with("_e64");
}

bool AmdInstructions::isSelect(const MachineInstr &op) const { return nameOf(op) == llvm_names::kSelect; }

std::optional<int64_t> AmdInstructions::priorityOf(const MachineInstr &op) const {
  if (!op.hasUnmodeledSideEffects() || nameOf(op) != llvm_names::kSetPriority)
    return std::nullopt;
  return op.getOperand(0).getImm();
}

int AmdInstructions::valuTimeOf(const MachineInstr &op) const {
  return isTranscendental(op) ? transcendental : nameOf(op).starts_with(llvm_names::kVector) ? 1 : 0;
}

bool AmdInstructions::letsArithmeticCross(const MachineInstr &op) const {
  constexpr int64_t kArithmetic = 1, kMfma = 8; // bits in the mask operand of llvm.amdgcn.sched.barrier
  return nameOf(op) == llvm_names::kSchedBarrier && op.getOperand(0).getImm() & (kArithmetic | kMfma);
}

bool AmdInstructions::isBoundary(const MachineInstr &op) const {
  if (letsArithmeticCross(op) || isAccess(op))
    return false;
  return op.mayLoadOrStore() || (op.hasUnmodeledSideEffects() && !op.isInlineAsm()) || op.isPosition() || op.isCall() ||
         op.isTerminator() || op.isBundle() || op.isDebugInstr();
}

bool AmdInstructions::isAccess(const MachineInstr &op) {
  return op.mayLoadOrStore() && !op.hasUnmodeledSideEffects() && !op.isCall() && !op.isTerminator();
}

} // namespace hocket
