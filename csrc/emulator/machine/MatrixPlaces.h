//===- MatrixPlaces.h - Matrix elements that each lane holds ------------------------------===//
//
// The matrices of a wave are stored block after block, in row-major order. A lane's elements are identified by their
// index there, computed once per operation: the formulas (MatrixOperations.h) divide too often to be evaluated for
// every element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXPLACES_H
#define HOCKET_EMULATOR_MACHINE_MATRIXPLACES_H

#include "emulator_abi/MatrixOperations.h"

#include <vector>

namespace hocket::emulator {

/// of[lane * elements per lane + element].
struct Places {
  /// Pattern of a lane's elements, four at a time: any; consecutive; or one below the other, `stride` apart, with those
  /// of the next three lanes beside them.
  enum class Pattern { Any, Along, Across };

  Places() = default;
  Places(std::vector<uint16_t> of, size_t lanes);
  size_t size() const { return of.size(); }

  std::vector<uint16_t> of;
  Pattern pattern = Pattern::Any;
  uint16_t stride = 0;
};

struct MatrixPlaces {
  Places a, b;             ///< k in order
  Places halvedA, halvedB; ///< k in halves: 8-bit operands of scaled MMAs
  Places c;
};

/// Returns the element indices of `operation`, one of matrixOperations().
const MatrixPlaces &placesOf(const host_abi::MatrixOperation &operation);

} // namespace hocket::emulator

#endif
