//===- AmdInstructions.h - Classifies AMD machine instructions by opcode name -------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_AMDINSTRUCTIONS_H
#define HOCKET_CODEGEN_AMD_MACHINE_AMDINSTRUCTIONS_H

#include "llvm/CodeGen/MachineFunction.h"
#include <optional>

namespace llvm {
class TargetInstrInfo;
} // namespace llvm

namespace hocket {

class AmdInstructions {
public:
  /// Prepares to classify the instructions of `function`. `transcendental` is the issue time of a transcendental
  /// instruction, as a multiple of the issue time of other VALU instructions.
  AmdInstructions(const llvm::MachineFunction &function, int transcendental);

  bool isMfma(const llvm::MachineInstr &op) const;
  bool isExchange(const llvm::MachineInstr &op) const; ///< true for an exchange between lanes through the LDS crossbar
  bool isTranscendental(const llvm::MachineInstr &op) const; ///< true for v_exp, v_log, v_rcp, ...
  bool isCompare(const llvm::MachineInstr &op) const;        ///< true for a v_cmp that writes one mask
  bool isSelect(const llvm::MachineInstr &op) const;         ///< true for v_cndmask_b32, which selects by a mask

  /// Returns the wave priority that `op` sets; nullopt if `op` is not s_setprio.
  std::optional<int64_t> priorityOf(const llvm::MachineInstr &op) const;

  /// Returns the issue time of `op` on the VALU, as a multiple of the issue time of a non-transcendental VALU
  /// instruction. Returns 0 if another unit executes `op`.
  int valuTimeOf(const llvm::MachineInstr &op) const;

  /// True if `op` is a scheduling barrier (llvm.amdgcn.sched.barrier) that VALU or MFMA instructions may cross.
  bool letsArithmeticCross(const llvm::MachineInstr &op) const;
  /// True if no instruction may be moved across `op`. Inline assembly may be reordered as far as its register operands
  /// allow, so it is not a boundary.
  bool isBoundary(const llvm::MachineInstr &op) const;
  /// True if `op` is a memory access, or a bundle of memory accesses, without other side effects.
  static bool isAccess(const llvm::MachineInstr &op);

private:
  llvm::StringRef nameOf(const llvm::MachineInstr &op) const;

  const llvm::TargetInstrInfo *names;
  int transcendental;
};

} // namespace hocket

#endif
