//===- ResultsInRegisters.h - Where unfinished results are, and who touches them -------------------===//
//
// The results of an operation with the interface AsyncResults are written after it has returned. The value that names
// them moves on, through branches and around loops; this says what it may *hold*: of which start, and from which
// iteration (GroupsInFlight.h).
//
//     %d0 = start %zero                          %d0: the start
//     scf.for iter_args(%acc = %d0) {            %acc: that of before the loop, or the one below, 1 iteration ago
//       %d = start in place of %acc              %d: this one; what %acc held is done before it
//       scf.yield %d
//     }
//
// Moving on is no use where the registers stay: from what a loop carries to what it yields in place of it, out of a
// branch. It is one where they would have to be copied: a result in place of a value that is needed again, two values
// that change places, a choice between two. Everything else that has it for an operand uses it.
//
// Registers that an operation reads until it is finished are written anew by the operation that defines them, in the
// next iteration: that is a use as well.
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

  /// Does `op` touch registers of results, or those that an operation with results is reading?
  bool concerns(mlir::Operation *op) const { return usedBy.contains(op) || redefinedBy.contains(op); }
  /// Does `op`, at a point that sees `start` at `when`, touch its registers?
  Meeting meets(mlir::Operation *op, mlir::Operation *start, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

  /// The values that may hold results, each after those of which it is made.
  llvm::ArrayRef<mlir::Value> values() const { return order; }
  /// The operands that use `value`.
  llvm::ArrayRef<mlir::OpOperand *> usesOf(mlir::Value value) const;
  /// An operation of which `value` may hold a result.
  hk::AsyncResults anyStartOf(mlir::Value value) const;

private:
  using When = GroupsInFlight::When;
  /// What a value holds; whether it does so on each path that comes by the start.
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
  /// A yielded value that is used may still be in one set of registers: branches or loops have merged it.
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
