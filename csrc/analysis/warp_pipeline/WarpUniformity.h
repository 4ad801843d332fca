//===- WarpUniformity.h - Scalars that may differ between the warps of a block -----===//
//
// All warps compute the same scalars: arguments, constants and block indices are uniform, and so are values computed
// from them. A scalar atomic is executed once, and all warps receive its result. A reduction returns its result to all
// lanes. The analysis finds the exceptions:
//
//   * Each warp executes a load separately, and memory may change between these loads. The results of volatile loads,
//     and of loads from arrays that this kernel writes, may therefore differ between warps.
//   * Each lane of a reduction combines values in a different order. The results are equal if the function of the
//     reduction is one commutative operation, as in gl.sum and gl.max. With other functions, the results may differ.
//
// Pointers are assumed to point to the same array only if the pointers are computed from the same argument. The
// analysis does not detect three causes of differences: another kernel that writes at the same time, two arguments that
// point to the same array, and races in shared memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPUNIFORMITY_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPUNIFORMITY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace hocket {

/// The reason why a value may differ between warps: an operation and its description, such as "a volatile load".
struct WarpDifference {
  mlir::Operation *source = nullptr;
  std::string reason;
  explicit operator bool() const { return source; }
};

class WarpUniformity {
public:
  explicit WarpUniformity(mlir::Operation *function);

  /// Returns the reason why the scalar `value` may differ between warps. The result is empty if `value` certainly is
  /// the same in all warps.
  WarpDifference differenceIn(mlir::Value value) const;

private:
  WarpDifference differenceMadeBy(mlir::Operation *op) const;

  /// Kernel arguments through which the kernel writes global memory. A null element represents pointers of unknown
  /// origin.
  llvm::DenseSet<mlir::Value> written;
};

} // namespace hocket

#endif
