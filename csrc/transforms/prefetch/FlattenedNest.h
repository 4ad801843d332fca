//===- FlattenedNest.h - Flattens a loop around a loop that copies tiles --------------===//
//
// The prefetcher overlaps iterations of one loop. In a loop nest, the software pipeline of the inner loop drains at the
// end of each iteration of the outer loop, and fills again in the next one. If the nest is one loop, copies for the
// next iteration of the outer loop start during the last iterations of the inner loop:
//
//     for o {                          for t in 0 ... outer trips * inner trips { // carries o, n, x, a
//       %s = before(o, x)                %s = before(o, x)
//       %r = for k, a = init {           %a = n == 0 ? init : a
//         %b = inner(k, a, s)     =>     %b = inner(lower + n * step, %a, %s)
//       }                                if n == inner trips - 1 { %y = after(%b, x) } else { %y = x }
//       %y = after(%r, x)                o, n = next iteration of the nest
//     }                                }
//
//     before    operations that do not use results of the inner loop, and access no memory. They are repeated in each
//               iteration of the new loop.
//     after     the other operations of the outer loop. They follow the inner loop.
//
// A loop-carried value that both loops only pass to the inner loop is one variable of the new loop, so accumulators of
// such a nest need no selection. If the inner loop has no iterations, a copy of the outer loop without the inner loop
// runs instead.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_FLATTENEDNEST_H
#define HOCKET_TRANSFORMS_PREFETCH_FLATTENEDNEST_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringRef.h"

namespace hocket::prefetch {

/// Returns the only loop directly in the body of `outer`; null if there are none or several.
mlir::scf::ForOp innerLoopOf(mlir::scf::ForOp outer);

/// Returns the reason why the nest of `outer` and its inner loop cannot be flattened; an empty string if it can.
llvm::StringRef whyNotFlattened(mlir::scf::ForOp outer);

/// A loop nest, and the loop that replaces it.
class FlattenedNest {
public:
  /// Replaces `outer`, which whyNotFlattened accepts. `outer` is removed from its block, but not erased.
  explicit FlattenedNest(mlir::scf::ForOp outer);
  mlir::scf::ForOp getLoop() const { return loop; }
  /// Erases the original nest.
  void keep();
  /// Puts the original nest back.
  void undo();

private:
  mlir::scf::ForOp outer, loop;
  /// The branch around `loop`.
  mlir::scf::IfOp branch;
};

} // namespace hocket::prefetch

#endif
