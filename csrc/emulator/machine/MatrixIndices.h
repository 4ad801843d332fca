//===- MatrixIndices.h - Matrix elements that each lane holds ------------------------------===//
//
// The matrices of a wave are stored block after block, in row-major order. A lane's elements are identified by their
// index there, computed once per operation: the formulas (MatrixOperations.h) divide too often to be evaluated for
// every element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXINDICES_H
#define HOCKET_EMULATOR_MACHINE_MATRIXINDICES_H

#include "emulator_abi/MatrixOperations.h"

#include <vector>

namespace hocket::emulator {

/// of[lane * elements per lane + element].
struct ElementIndices {
  /// Pattern of a lane's elements, four at a time: any; consecutive; or one below the other, `stride` apart, with those
  /// of the next three lanes beside them.
  enum class Pattern { Any, Along, Across };

  ElementIndices() = default;
  ElementIndices(std::vector<uint16_t> of, size_t lanes);
  size_t size() const { return of.size(); }

  std::vector<uint16_t> of;
  Pattern pattern = Pattern::Any;
  uint16_t stride = 0;
};

struct MatrixIndices {
  ElementIndices a, b;             ///< k in order
  ElementIndices halvedA, halvedB; ///< k in halves: 8-bit operands of scaled MMAs
  ElementIndices c;
};

/// Returns the element indices of `operation`, one of matrixOperations().
const MatrixIndices &indicesOf(const host_abi::MatrixOperation &operation);

} // namespace hocket::emulator

#endif
