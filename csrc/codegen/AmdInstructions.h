//===- AmdInstructions.h - What AMD's machine instructions are, by their names -------===//
//
// LLVM does not install the header with their opcodes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMDINSTRUCTIONS_H
#define HOCKET_CODEGEN_AMDINSTRUCTIONS_H

#include "llvm/CodeGen/MachineFunction.h"
#include <optional>

namespace llvm {
class TargetInstrInfo;
} // namespace llvm

namespace hocket {

class AmdInstructions {
public:
  /// Those of `function`, in which an exponential and its like take as long as `transcendental` others.
  AmdInstructions(const llvm::MachineFunction &function, int transcendental);

  bool isProduct(const llvm::MachineInstr &op) const;
  bool isExchange(const llvm::MachineInstr &op) const;   ///< between lanes, through LDS's wires
  bool isSlow(const llvm::MachineInstr &op) const;       ///< a transcendental function
  bool isComparison(const llvm::MachineInstr &op) const; ///< of vectors, that makes a mask and nothing else
  bool isSelection(const llvm::MachineInstr &op) const;  ///< of 32 bits, by a mask

  /// That `op` gives its wave, if it does.
  std::optional<int64_t> priorityOf(const llvm::MachineInstr &op) const;

  /// For how many vector instructions' time it keeps the vector unit busy: 0 for what another unit does.
  int vectorTimeOf(const llvm::MachineInstr &op) const;

  /// A barrier of LLVM's that arithmetic may be moved over, in either direction: so may products.
  bool letsArithmeticPass(const llvm::MachineInstr &op) const;
  /// Whether neither arithmetic nor accesses are moved over it. Inline assembly is something else, which registers
  /// alone order with them.
  bool isWall(const llvm::MachineInstr &op) const;
  /// Of memory, or a bundle of such accesses; with its effects known.
  static bool isAccess(const llvm::MachineInstr &op);

private:
  llvm::StringRef nameOf(const llvm::MachineInstr &op) const;

  const llvm::TargetInstrInfo *names;
  int transcendental;
};

} // namespace hocket

#endif
