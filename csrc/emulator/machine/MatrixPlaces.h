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

/// Places[lane * elements per lane + element].
using Places = std::vector<uint16_t>;

struct MatrixPlaces {
  Places a, b;             ///< of k in order
  Places halvedA, halvedB; ///< of k in halves: 8-bit operands of scaled products
  Places c;
};

/// `operation` is one of matrixOperations().
const MatrixPlaces &placesOf(const host_abi::MatrixOperation &operation);

} // namespace hocket::emulator

#endif
