//===- VectorArithmetic.h - Estimates the VALU time of arithmetic -----------------------===//
//
// The lane form defines what one lane computes; LLVM decides later which operations become VALU instructions. An
// estimate of the VALU instructions suffices for a timeline. An operation takes no time
//
//   if all lanes compute the same value, because the scalar unit executes it
//   if it is loop-invariant, because it is hoisted out of the loop
//   if it computes an address by getelementptr or adds a constant, because accesses have immediate offsets
//   if it only moves values: extract, insert, bitcast, shuffle
//
// Any other operation takes one instruction for each 32 bits of its result.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_OPS_VECTORARITHMETIC_H
#define HOCKET_CONVERSION_LANE_TO_HOST_OPS_VECTORARITHMETIC_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "target/TargetInfo.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace hocket {

class VectorArithmetic {
public:
  VectorArithmetic(mlir::LLVM::LLVMFuncOp kernel, const TargetInfo &target);

  /// Returns the number of clocks for which `op` occupies the VALU; 0 if it needs no VALU instruction.
  int clocksOf(mlir::Operation *op) const;

private:
  void findLaneValues();
  void findInvariants();
  bool isInvariant(mlir::Operation *op, const mlir::CFGLoop *loop) const;

  mlir::LLVM::LLVMFuncOp kernel;
  const TargetInfo &target;
  mlir::DominanceInfo dominance;
  std::unique_ptr<mlir::CFGLoopInfo> loops;  ///< null if the kernel has no loops
  llvm::DenseSet<mlir::Value> laneValues;    ///< values that can differ between the lanes of a warp
  llvm::DenseSet<mlir::Operation *> hoisted; ///< loop-invariant operations, which the model hoists out of their loop
};

/// True if `op` only moves bits from registers to registers.
bool movesOnly(mlir::Operation *op);

} // namespace hocket

#endif
