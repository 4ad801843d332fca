//===- WarpUniformity.h - Scalars that may differ between the warps of a block -----===//
//
// All warps compute the same scalars: arguments, constants and block indices are uniform, and so are values computed
// from them. A scalar atomic is executed once and its result sent to all warps, and a reduction returns its result to
// all lanes. The analysis finds the exceptions:
//
//   * A load is executed by each warp. Warps may see different values of memory that changes meanwhile: volatile loads,
//     and loads from arrays that this kernel writes.
//   * A reduction combines in a different order in every lane. The results agree if its function is one commutative
//     operation, such as those of gl.sum and gl.max; other functions may differ.
//
// Arrays are distinguished by the arguments that pointers originate from. Not detected: another kernel that writes
// meanwhile, two arguments that are the same array, races in shared memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPUNIFORMITY_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPUNIFORMITY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace hocket {

/// The reason why a value may differ between warps: the operation, and its description ("a volatile load").
struct WarpDifference {
  mlir::Operation *source = nullptr;
  std::string reason;
  explicit operator bool() const { return source; }
};

class WarpUniformity {
public:
  explicit WarpUniformity(mlir::Operation *function);

  /// Returns an empty difference for a scalar that is the same in all warps.
  WarpDifference differenceIn(mlir::Value value) const;

private:
  WarpDifference differenceMadeBy(mlir::Operation *op) const;

  /// Arguments through which the kernel writes; null for pointers of unknown origin.
  llvm::DenseSet<mlir::Value> written;
};

} // namespace hocket

#endif
