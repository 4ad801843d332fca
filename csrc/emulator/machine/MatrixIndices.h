//===- MatrixIndices.h - Matrix elements that each lane holds ------------------------------===//
//
// The matrices of a wave are stored block after block, in row-major order. A lane's elements are identified by their
// index in this storage. The indices are computed once for each operation, because the formulas (MatrixOperations.h)
// have too many divisions to be evaluated for every element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXINDICES_H
#define HOCKET_EMULATOR_MACHINE_MATRIXINDICES_H

#include "emulator_abi/MatrixOperations.h"

#include <vector>

namespace hocket::emulator {

/// The matrix indices of the elements of all lanes. Element i of a lane has the matrix index `of[lane * elementsPerLane
/// + i]`.
struct ElementIndices {
  /// Pattern of the indices of each four consecutive elements of a lane. Along: the four indices are consecutive.
  /// Across: the four indices are `stride` apart, and the next three lanes hold the adjacent indices. Any: the indices
  /// have neither of these patterns.
  enum class Pattern { Any, Along, Across };

  ElementIndices() = default;
  ElementIndices(std::vector<uint16_t> of, size_t lanes);
  size_t size() const { return of.size(); }

  std::vector<uint16_t> of;
  Pattern pattern = Pattern::Any;
  uint16_t stride = 0;
};

struct MatrixIndices {
  ElementIndices a, b;             ///< each lane's elements in the order of ascending k
  ElementIndices halvedA, halvedB; ///< elements in two halves along k, for 8-bit scaled MMAs
  ElementIndices c;
};

/// Returns the element indices of `operation`, one of matrixOperations().
const MatrixIndices &indicesOf(const host_abi::MatrixOperation &operation);

} // namespace hocket::emulator

#endif
