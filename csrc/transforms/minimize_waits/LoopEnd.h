//===- LoopEnd.h - Branches after which a loop does not go on ---------------------------------------===//
//
// A loop with `break` or `return` becomes scf.while. The iteration that leaves it runs to its end, and the loop's
// condition says that no other follows:
//
//     scf.while (%more = %enters) { scf.condition(%more) } do {
//       %done = arith.cmpi eq, %k, %c3
//       scf.if %done { } else { copy; commit }        after the first region the loop ends: no iteration follows one
//       %not = arith.cmpi ne, %k, %c3                 that commits nothing
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

  /// The number of the region of `op` after which the loop ends, if `op` is a branch in the body of the loop of which
  /// this is known.
  std::optional<unsigned> regionThatLeaves(mlir::Operation *op) const;

private:
  mlir::Block *body;
  /// All of these hold if another iteration follows.
  llvm::SmallVector<mlir::Value> conditions;
};

} // namespace hocket

#endif
