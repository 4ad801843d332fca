//===- LayoutDecisions.h - Which layout each tensor gets that has none ---------------===//
//
// A tensor is *open* while its layout is not decided. Of open tensors, those are *cheap* that are computed from nothing
// but numbers by pure operations (addresses, masks, constants): they are computed once for each layout that asks for
// them, so they ask nobody themselves and are never in conflict. All others have one layout, which spreads:
//
//     elementwise, memory       all open tensors of one shape in an operation have the same layout
//     views                     both ways, by the operation's own rules (LayoutInferenceOp). A tensor that is split is
//                               converted where the compiler has chosen a layout for it in which it cannot be split
//     reductions                from the operand to the result; back only from a slice along the axis
//     loops, branches, workers  what is carried keeps its layout
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_LAYOUTDECISIONS_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_LAYOUTDECISIONS_H

#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// The type of an open tensor; null for anything else.
mlir::RankedTensorType openType(mlir::Value value);

/// Whether all open tensors of one shape in `op` have one layout.
bool keepsLayout(mlir::Operation *op);

class LayoutDecisions {
public:
  struct Decision {
    mlir::Attribute layout;
    /// Who asked for a layout, from which this one follows.
    mlir::Operation *source = nullptr;
    /// The compiler chose it: whoever asks for another one converts.
    bool isChoice = false;
  };

  explicit LayoutDecisions(mlir::func::FuncOp function);

  /// In the order of the source.
  llvm::ArrayRef<mlir::Value> openValues() const { return open; }
  bool isCheap(mlir::Value value) const { return cheap.contains(value); }
  /// Of an open value that is not cheap, or of an operation all of whose open values are; null if there is none yet.
  const Decision *find(mlir::Value value) const;
  const Decision *find(mlir::Operation *op) const;

  /// `value` is to have the layout, and with it whatever must agree. An error where that has another one.
  mlir::LogicalResult decide(mlir::Value value, const Decision &decision);
  /// The same for the open tensors of `shape` in `op`.
  mlir::LogicalResult decide(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, const Decision &decision);
  /// Results of reductions that are in no layout yet get that which follows from their operands.
  mlir::LogicalResult decideReductions();

  /// What an open tensor that is an operand of a loop, branch or terminator is called there; null for other operands.
  mlir::Value carriedAs(mlir::OpOperand &operand) const { return carried.lookup(&operand); }
  /// The layout that `operand`, a cheap open tensor, has to have; null if nobody cares.
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
  /// Whether the operand of a split keeps the layout that it has, though `decision` for the results asks for another
  /// one.
  bool isConvertedAt(mlir::Operation *op, const Decision &decision) const;
  void spreadThrough(mlir::Operation *op, mlir::Value from, const Decision &decision, Asks &asks) const;
  mlir::LogicalResult run(Asks asks);
  mlir::LogicalResult reportConflict(const Decision &had, const Decision &wanted) const;

  llvm::SmallVector<mlir::Value> open;
  llvm::DenseSet<mlir::Value> cheap;
  llvm::DenseMap<mlir::Value, Decision> decided;
  llvm::DenseMap<mlir::Operation *, Decision> decidedOps;
  /// Layouts that have been asked of cheap values.
  llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>> asked;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> carried;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> ties;
};

} // namespace hocket

#endif
