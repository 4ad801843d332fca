//===- VectorArithmetic.h - Which arithmetic keeps a vector unit busy -------------------===//
//
// Lane form says what one lane computes; what of it becomes a vector instruction, LLVM decides later. A guess that is
// good enough for a picture of time. It takes no time
//
//   where all lanes compute the same: a scalar unit does it
//   in a loop, where each iteration computes the same: it is done before the loop
//   to compute addresses by getelementptr or by adding constants: accesses have offsets
//   to move values: extract, insert, bitcast, shuffle
//
// Everything else takes an instruction for each 32 bits of its result.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_VECTORARITHMETIC_H
#define HOCKET_CONVERSION_GPU_TO_HOST_VECTORARITHMETIC_H

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

  /// Clocks of a vector unit that `op` takes; 0 if it takes none there.
  int clocksOf(mlir::Operation *op) const;

private:
  void findLaneValues();
  void findInvariants();
  bool isInvariant(mlir::Operation *op, const mlir::CFGLoop *loop) const;

  mlir::LLVM::LLVMFuncOp kernel;
  const TargetInfo &target;
  mlir::DominanceInfo dominance;
  std::unique_ptr<mlir::CFGLoopInfo> loops;  ///< null in a straight line
  llvm::DenseSet<mlir::Value> laneValues;    ///< can differ between lanes
  llvm::DenseSet<mlir::Operation *> hoisted; ///< out of their loop
};

/// Only moves bits from registers to registers.
bool movesOnly(mlir::Operation *op);

} // namespace hocket

#endif
