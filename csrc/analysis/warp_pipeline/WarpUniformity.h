//===- WarpUniformity.h - Scalars that may differ between the warps of a block -----===//
//
// All warps compute the same scalars: arguments, constants and the block's place in the grid are the same for all, and
// so is what is computed from them. A scalar atomic is done once and its result given to all warps, and a reduction
// gives its result to all lanes. What is left, and what this finds:
//
//   * A load is done by each warp for itself. Warps may see different values of memory that changes meanwhile: loads
//     that are volatile, and those from arrays that this kernel writes.
//   * A reduction combines in a different order in every lane. The results agree if its function is one commutative
//     operation, such as those of gl.sum and gl.max; of others nothing is known.
//
// Arrays are told apart by the arguments that pointers come from. Not seen: another kernel that writes meanwhile, two
// arguments that are the same array, races in shared memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPUNIFORMITY_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPUNIFORMITY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace hocket {

/// Why a value may differ between warps: the operation, and what it is in words ("a volatile load").
struct WarpDifference {
  mlir::Operation *source = nullptr;
  std::string reason;
  explicit operator bool() const { return source; }
};

class WarpUniformity {
public:
  explicit WarpUniformity(mlir::Operation *function);

  /// Nothing for a value (a scalar) that is the same in all warps.
  WarpDifference differenceIn(mlir::Value value) const;

private:
  WarpDifference differenceMadeBy(mlir::Operation *op) const;

  /// Arguments through which the kernel writes; a null value for pointers of unknown origin.
  llvm::DenseSet<mlir::Value> written;
};

} // namespace hocket

#endif
