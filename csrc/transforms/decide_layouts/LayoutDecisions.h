//===- LayoutDecisions.h - Layout decisions for tensors without a layout -------------===//
//
// A tensor is *open* while its layout is not decided. An open tensor is *cheap* if pure operations compute it from
// scalars only (addresses, masks, constants): it is recomputed for each layout that a user requires, so it propagates
// no requirements itself and never causes a conflict. All other open tensors have one layout, which propagates:
//
//     elementwise, memory       all open tensors of one shape in an operation have the same layout
//     views                     both ways, by the operation's own rules (LayoutInferenceOp). The operand of a split is
//                               converted if the compiler has chosen a layout for it in which it cannot be split
//     reductions                from the operand to the result; backward only from a slice along the axis
//     loops, branches, workers  carried values keep their layout
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_LAYOUTDECISIONS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_LAYOUTDECISIONS_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// Returns the type of an open tensor; null for any other value.
mlir::RankedTensorType openType(mlir::Value value);

/// True if all open tensors of one shape in `op` have one layout.
bool keepsLayout(mlir::Operation *op);

class LayoutDecisions {
public:
  struct Decision {
    mlir::Attribute layout;
    /// The operation that required the layout from which this one follows.
    mlir::Operation *source = nullptr;
    /// True if the compiler chose the layout: an operation that requires another one converts.
    bool isChoice = false;
  };

  explicit LayoutDecisions(mlir::func::FuncOp function);

  /// The open tensors, in source order.
  llvm::ArrayRef<mlir::Value> openValues() const { return open; }
  bool isCheap(mlir::Value value) const { return cheap.contains(value); }
  /// Returns the decision for an open value that is not cheap, or for an operation all of whose open values are cheap;
  /// null if there is none yet.
  const Decision *find(mlir::Value value) const;
  const Decision *find(mlir::Operation *op) const;

  /// Decides the layout of `value` and of all values that must agree. Emits an error if one of them has another layout.
  mlir::LogicalResult decide(mlir::Value value, const Decision &decision);
  /// Decides the layout of the open tensors of `shape` in `op`.
  mlir::LogicalResult decide(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, const Decision &decision);
  /// Decides undecided results of reductions by the layouts of their operands.
  mlir::LogicalResult decideReductions();

  /// Returns the value that an open operand of a loop, branch or terminator is passed to; null for other operands.
  mlir::Value carriedAs(mlir::OpOperand &operand) const { return carried.lookup(&operand); }
  /// Returns the layout that `operand`, a cheap open tensor, must have; null if there is no requirement.
  mlir::Attribute neededBy(mlir::OpOperand &operand) const;

private:
  struct Ask {
    mlir::Value value;
    Decision decision;
  };
  using Asks = llvm::SmallVector<Ask>;

  void collect(mlir::Operation *function);
  void tie(mlir::OpOperand &from, mlir::Value to);
  void tieRegions(mlir::Operation *op);
  bool computesFromNumbers(mlir::Operation *op) const;
  /// True if the operand of a split keeps its present layout, although `decision` for the results requires another
  /// one.
  bool isConvertedAt(mlir::Operation *op, const Decision &decision) const;
  void spreadThrough(mlir::Operation *op, mlir::Value from, const Decision &decision, Asks &asks) const;
  mlir::LogicalResult run(Asks asks);
  mlir::LogicalResult reportConflict(const Decision &had, const Decision &wanted) const;

  llvm::SmallVector<mlir::Value> open;
  llvm::DenseSet<mlir::Value> cheap;
  llvm::DenseMap<mlir::Value, Decision> decided;
  llvm::DenseMap<mlir::Operation *, Decision> decidedOps;
  /// Layouts that have been required of cheap values.
  llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>> asked;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> carried;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> ties;
};

} // namespace hocket

#endif
