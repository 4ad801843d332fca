//===- LoopEnd.h - Branches that end a loop ---------------------------------------------------------===//
//
// A loop with `break` or `return` becomes scf.while. The iteration that leaves it runs to its end, and the loop's
// condition is then false:
//
//     scf.while (%more = %enters) { scf.condition(%more) } do {
//       %done = arith.cmpi eq, %k, %c3
//       scf.if %done { } else { copy; commit }        after the first region the loop ends: an iteration that does not
//       %not = arith.cmpi ne, %k, %c3                 commit has no successor
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

  /// Returns the index of the region of `op` after which the loop ends, if `op` is a branch in the loop's body with
  /// such a region.
  std::optional<unsigned> regionThatLeaves(mlir::Operation *op) const;

  /// True if no iteration ever follows another one.
  bool endsAtOnce() const;

private:
  mlir::Block *body;
  /// All of these are true if another iteration follows.
  llvm::SmallVector<mlir::Value> conditions;
};

} // namespace hocket

#endif
