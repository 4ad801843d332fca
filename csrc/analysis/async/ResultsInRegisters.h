//===- ResultsInRegisters.h - Registers of outstanding results, and their uses ---------------------===//
//
// The results of an operation with the interface AsyncResults are written after it has returned. The value that names
// them is passed through branches and around loops. For each value, this analysis computes the results that it may
// *hold*: of which start, and from which iteration (GroupsInFlight.h).
//
//     %d0 = start %zero                          %d0: the start
//     scf.for iter_args(%acc = %d0) {            %acc: the start before the loop, or the one below, 1 iteration ago
//       %d = start in place of %acc              %d: this start; results that %acc held are complete before it
//       scf.yield %d
//     }
//
// Passing a value on is not a use if the registers stay the same: from a loop's variable to the value yielded for it,
// or out of a branch. It is a use if the registers would have to be copied: a result in place of a value that is needed
// again, two values that are swapped, a selection between two. Every other operation with such an operand uses it.
//
// Some accesses read registers until they complete. The operation that defines these registers counts as a use, too: in
// the next iteration it overwrites them.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_RESULTSINREGISTERS_H
#define HOCKET_ANALYSIS_ASYNC_RESULTSINREGISTERS_H

#include "analysis/async/GroupsInFlight.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

enum class Meeting { Never, Perhaps, Certainly };

class ResultsInRegisters {
public:
  explicit ResultsInRegisters(mlir::Operation *function);

  /// True if `op` accesses registers of results, or registers that an operation with results is reading.
  bool concerns(mlir::Operation *op) const { return usedBy.contains(op) || redefinedBy.contains(op); }
  /// Returns the conflict of `op`, at a point that sees `start` at `when`, with the registers of `start`.
  Meeting meets(mlir::Operation *op, mlir::Operation *start, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

  /// Returns the values that may hold results, each after those that it is computed from.
  llvm::ArrayRef<mlir::Value> values() const { return order; }
  /// Returns the operands that use `value`.
  llvm::ArrayRef<mlir::OpOperand *> usesOf(mlir::Value value) const;
  /// Returns an operation whose result `value` may hold.
  hk::AsyncResults anyStartOf(mlir::Value value) const;

private:
  using When = GroupsInFlight::When;
  /// The results that a value holds; true if it does so on each path through the start.
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
  /// True if a yielded value that is used may still be in one set of registers, merged by branches or loops.
  bool mayStayInPlace(mlir::OpOperand &yield) const;

  std::map<mlir::Operation *, unsigned> loopsAround;
  llvm::DenseMap<mlir::Value, Holdings> held;
  llvm::SmallVector<mlir::Value> order;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpOperand *, 2>> usesOfValue;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> usedBy;
  /// Yields and values that may stay in place.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> mayStay;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>> redefinedBy;
};

} // namespace hocket

#endif
