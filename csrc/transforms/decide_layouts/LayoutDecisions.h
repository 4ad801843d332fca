//===- LayoutDecisions.h - Layout decisions for tensors without a layout -------------===//
//
// A tensor is *undecided* while it has no layout. An undecided tensor is *cheap* if pure operations compute it from
// scalars only (addresses, masks, constants). A cheap tensor is recomputed in each layout that one of its uses
// requires. Therefore a cheap tensor propagates no requirements and never causes a conflict. Every other undecided
// tensor gets one layout, which propagates:
//
//     elementwise, memory       all undecided tensors of one shape in an operation have the same layout
//     views                     between operand and result, in both directions, by the rules of LayoutInferenceOp. If
//                               the compiler has chosen a layout in which the operand of a split cannot be split,
//                               the operand is converted
//     reductions                from the operand to the result; from the result to the operand only if the result's
//                               layout is a slice along the axis
//     loops, branches, workers  an operand has the same layout as the block argument or result to which it is passed
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_LAYOUTDECISIONS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_LAYOUTDECISIONS_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// Returns the type of an undecided tensor; null for any other value.
mlir::RankedTensorType undecidedType(mlir::Value value);

/// True if all undecided tensors of one shape in `op` get the same layout.
bool keepsLayout(mlir::Operation *op);

class LayoutDecisions {
public:
  struct Decision {
    mlir::Attribute layout;
    /// The operation whose requirement led to this layout, directly or by propagation.
    mlir::Operation *source = nullptr;
    /// True if the compiler chose the layout. A tensor with a chosen layout is converted for operations that require
    /// another layout.
    bool isChoice = false;
  };

  explicit LayoutDecisions(mlir::func::FuncOp function);

  /// The undecided tensors, in source order.
  llvm::ArrayRef<mlir::Value> undecidedValues() const { return undecided; }
  bool isCheap(mlir::Value value) const { return cheap.contains(value); }
  /// Returns the decision for an undecided tensor that is not cheap, or for an operation that uses only cheap tensors;
  /// null if there is no decision so far.
  const Decision *find(mlir::Value value) const;
  const Decision *find(mlir::Operation *op) const;

  /// Decides the layout of `value` and of all tensors to which the requirement propagates. Emits an error if another
  /// layout has been decided for `value` or a tensor to which the requirement propagates.
  mlir::LogicalResult decide(mlir::Value value, const Decision &decision);
  /// Decides the layout of the undecided tensors of `shape` in `op`.
  mlir::LogicalResult decide(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, const Decision &decision);
  /// Decides undecided results of reductions by the layouts of their operands.
  mlir::LogicalResult decideReductions();

  /// Returns the block argument or result to which `operand`, an undecided operand of a loop, branch or terminator, is
  /// passed; null for other operands.
  mlir::Value carriedAs(mlir::OpOperand &operand) const { return carried.lookup(&operand); }
  /// Returns the layout that `operand`, a use of a cheap tensor, requires; null if it requires none.
  mlir::Attribute neededBy(mlir::OpOperand &operand) const;

private:
  struct Requirement {
    mlir::Value value;
    Decision decision;
  };
  using Requirements = llvm::SmallVector<Requirement>;

  void collect(mlir::Operation *function);
  void tie(mlir::OpOperand &from, mlir::Value to);
  void tieRegions(mlir::Operation *op);
  bool computesFromNumbers(mlir::Operation *op) const;
  /// True if `op` is a split whose operand keeps a decided layout and is converted, because the compiler has chosen the
  /// operand's layout or `decision`.
  bool isConvertedAt(mlir::Operation *op, const Decision &decision) const;
  void spreadThrough(mlir::Operation *op, mlir::Value from, const Decision &decision, Requirements &requirements) const;
  mlir::LogicalResult run(Requirements requirements);
  mlir::LogicalResult reportConflict(const Decision &previous, const Decision &needed) const;

  llvm::SmallVector<mlir::Value> undecided;
  llvm::DenseSet<mlir::Value> cheap;
  llvm::DenseMap<mlir::Value, Decision> decided;
  llvm::DenseMap<mlir::Operation *, Decision> decidedOps;
  /// Layouts that uses of cheap tensors have required so far.
  llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>> required;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> carried;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> ties;
};

} // namespace hocket

#endif
