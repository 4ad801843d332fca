//===- MatrixPlaces.h - Which elements of the matrices a lane holds -----------------------===//
//
// The matrices of a wave lie one block after the other, rows first. A lane's elements are named by their place there,
// computed once per operation: the formulas (MatrixOperations.h) divide too much to be asked for every element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXPLACES_H
#define HOCKET_EMULATOR_MACHINE_MATRIXPLACES_H

#include "conversion/gpu_to_host/MatrixOperations.h"

#include <vector>

namespace hocket::emulator {

/// of[lane * elements per lane + element].
struct Places {
  /// How the elements of a lane lie, four at a time: anywhere; one after the other; or one below the other, `stride`
  /// apart, with those of the next three lanes beside them.
  enum class Pattern { Any, Along, Across };

  Places() = default;
  Places(std::vector<uint16_t> of, size_t lanes);
  size_t size() const { return of.size(); }

  std::vector<uint16_t> of;
  Pattern pattern = Pattern::Any;
  uint16_t stride = 0;
};

struct MatrixPlaces {
  Places a, b;             ///< of k in order
  Places halvedA, halvedB; ///< of k in halves: 8-bit operands of scaled products
  Places c;
};

/// `operation` is one of matrixOperations().
const MatrixPlaces &placesOf(const host_abi::MatrixOperation &operation);

} // namespace hocket::emulator

#endif
