//===- ResultsInRegisters.h - Registers of outstanding results, and their uses ---------------------===//
//
// The results of an operation with the interface AsyncResults are written to registers after the operation has been
// issued. SSA values of asynchronous results are passed through branches and around loops. For each SSA value, this
// analysis computes the asynchronous results that may be outstanding in the registers of the value. The value *holds*
// these results. A result is identified by the operation that computes the result and by the iteration in which this
// operation was issued (GroupsInFlight.h).
//
//     %d0 = wgmma into %zero                     %d0: this wgmma
//     scf.for iter_args(%acc = %d0) {            %acc: the wgmma before the loop, or %d of the previous iteration
//       %d = wgmma into %acc                     %d: this wgmma; the results that %acc held are complete before it
//       scf.yield %d
//     }
//
// Yielding a value from a loop or a branch is not a use if the value stays in its registers. The yield is a use if the
// registers of the yielded value must be copied. A copy is necessary if the yielded value replaces a value that is
// needed again, if two values are swapped, or if one of two values is selected. A wait is not a use. An MMA that
// accumulates in the registers of a value is not a use either if no later operation needs the value. Other operations
// that have the value as an operand use the value.
//
// Some asynchronous operations read registers until they complete. The operation that defines these registers counts as
// a use, too, because in the next iteration the definition overwrites the registers.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_RESULTSINREGISTERS_H
#define HOCKET_ANALYSIS_ASYNC_RESULTSINREGISTERS_H

#include "analysis/async/GroupsInFlight.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

/// Possibility of a conflict between two accesses. Accesses conflict if both are of the same memory or registers, and
/// one of them writes.
enum class Conflict { None, Possible, Certain };

class ResultsInRegisters {
public:
  explicit ResultsInRegisters(mlir::Operation *function);

  /// True if `op` uses registers of asynchronous results, or overwrites registers that an asynchronous operation reads.
  bool concerns(mlir::Operation *op) const { return usedBy.contains(op) || redefinedBy.contains(op); }
  /// Returns whether `op` conflicts with the registers that `start` reads or writes asynchronously; `when` is the time
  /// at which `start` was executed.
  Conflict conflictOf(mlir::Operation *op, mlir::Operation *start, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

  /// Returns all values that may hold asynchronous results. Each value follows the operands from which the value is
  /// computed.
  llvm::ArrayRef<mlir::Value> values() const { return order; }
  /// Returns the operands with the value `value` that count as uses.
  llvm::ArrayRef<mlir::OpOperand *> usesOf(mlir::Value value) const;
  /// Returns one of the operations whose asynchronous results `value` may hold.
  hk::AsyncResults anyStartOf(mlir::Value value) const;

private:
  using When = GroupsInFlight::When;
  /// The asynchronous results that a value may hold. The bool of a result is true if the value holds the result on
  /// every path on which the operation of the result is executed.
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
  /// True if `yield`, which counts as a use, perhaps copies no registers: the register allocator may assign the same
  /// registers to the values that a branch or loop merges.
  bool mayStayInPlace(mlir::OpOperand &yield) const;

  std::map<mlir::Operation *, unsigned> loopsAround;
  llvm::DenseMap<mlir::Value, Holdings> held;
  llvm::SmallVector<mlir::Value> order;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpOperand *, 2>> usesOfValue;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> usedBy;
  /// Terminators, each with a yielded value that may stay in its registers (mayStayInPlace).
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> mayStay;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>> redefinedBy;
};

} // namespace hocket

#endif
