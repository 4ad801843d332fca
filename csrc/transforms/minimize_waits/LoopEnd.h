//===- LoopEnd.h - Branches that end a loop ---------------------------------------------------------===//
//
// A loop with `break` or `return` becomes scf.while. The iteration that executes the `break` still runs to its end.
// After this iteration, the condition of the scf.while is false:
//
//     scf.while (%more = %enters) { scf.condition(%more) } do {
//       %done = arith.cmpi eq, %k, %c3
//       scf.if %done { } else { copy; commit }        the loop ends after the first region of this scf.if, so no
//       %not = arith.cmpi ne, %k, %c3                 iteration follows one that does not commit
//       %and = arith.andi %in_range, %not
//       scf.yield %and
//     }
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_LOOPEND_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_LOOPEND_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

class LoopEnd {
public:
  explicit LoopEnd(mlir::scf::WhileOp loop);

  /// Returns the index of the region of `op` after which the loop ends; nullopt if `op` is not a branch in the loop's
  /// body or has no such region.
  std::optional<unsigned> regionThatLeaves(mlir::Operation *op) const;

  /// True if the loop runs at most one iteration.
  bool endsAtOnce() const;

private:
  mlir::Block *body;
  /// Conditions that are true at the end of an iteration if another iteration follows.
  llvm::SmallVector<mlir::Value> conditions;
};

} // namespace hocket

#endif
