//===- ResultsInRegisters.h - Registers of outstanding results, and their uses ---------------------===//
//
// The results of an operation with the interface AsyncResults are written to registers after the operation has been
// issued. SSA values of asynchronous results are passed through branches and around loops. For each value, this
// analysis computes the results that the value may *hold*. A result is identified by the operation that started it and
// by its iteration (GroupsInFlight.h).
//
//     %d0 = wgmma into %zero                     %d0: this wgmma
//     scf.for iter_args(%acc = %d0) {            %acc: the wgmma above, or the one below, 1 iteration ago
//       %d = wgmma into %acc                     %d: this wgmma; the results that %acc held are complete before it
//       scf.yield %d
//     }
//
// Yielding a value from a loop or a branch is not a use if the value stays in its registers. The yield is a use if
// registers must be copied. A copy is necessary if the yielded value replaces a value that is needed again, if two
// values are swapped, or if one of two values is selected. Every other operation that has the value as an operand uses
// the value.
//
// Some asynchronous operations read registers until they complete. If an asynchronous operation reads registers, the
// operation that defines these registers counts as a use, too, because the definition overwrites the registers in the
// next iteration.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_RESULTSINREGISTERS_H
#define HOCKET_ANALYSIS_ASYNC_RESULTSINREGISTERS_H

#include "analysis/async/GroupsInFlight.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

/// Two accesses conflict if both are of the same memory or registers and one of them writes.
enum class Conflict { None, Possible, Certain };

class ResultsInRegisters {
public:
  explicit ResultsInRegisters(mlir::Operation *function);

  /// True if `op` uses registers of asynchronous results, or overwrites registers that an asynchronous operation reads.
  bool concerns(mlir::Operation *op) const { return usedBy.contains(op) || redefinedBy.contains(op); }
  /// Returns whether `op` conflicts with the registers of `start`, if `start` was executed in the iterations of `when`.
  Conflict conflictOf(mlir::Operation *op, mlir::Operation *start, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

  /// Returns the values that may hold results. Operands precede the values that are computed from them.
  llvm::ArrayRef<mlir::Value> values() const { return order; }
  /// Returns the operands that use `value`.
  llvm::ArrayRef<mlir::OpOperand *> usesOf(mlir::Value value) const;
  /// Returns an operation whose result `value` may hold.
  hk::AsyncResults anyStartOf(mlir::Value value) const;

private:
  using When = GroupsInFlight::When;
  /// The results that a value may hold. The bool is true if the value holds the result on each path that executes the
  /// start.
  using Holdings = std::map<std::pair<mlir::Operation *, When>, bool>;

  bool hold(mlir::Value value, const Holdings &more);
  Holdings heldAt(mlir::Value value, unsigned numLoops) const;
  bool flowThrough(mlir::Operation *op);
  bool flowThroughIf(mlir::scf::IfOp branch);
  bool flowAround(mlir::Operation *loop, mlir::ValueRange inits, mlir::ValueRange args, mlir::ValueRange yields);
  mlir::Value rootOf(mlir::Value value) const;
  bool isUse(mlir::OpOperand &operand) const;
  bool isCopiedByIf(mlir::scf::IfOp branch, mlir::OpOperand &yield) const;
  bool isSwapped(mlir::scf::IfOp branch, mlir::OpOperand &yield) const;
  bool isCopiedByLoop(mlir::Value carried, mlir::OpOperand &yield) const;
  /// True if `yield`, which counts as a use, perhaps copies no registers, because the values that a branch or loop
  /// merges may be in the same registers.
  bool mayStayInPlace(mlir::OpOperand &yield) const;

  std::map<mlir::Operation *, unsigned> loopsAround;
  llvm::DenseMap<mlir::Value, Holdings> held;
  llvm::SmallVector<mlir::Value> order;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpOperand *, 2>> usesOfValue;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> usedBy;
  /// Pairs of a terminator and a yielded value that may stay in its registers.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> mayStay;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>> redefinedBy;
};

} // namespace hocket

#endif
