//===- ProductPrograms.h - Random programs with products of warpgroups, and runs of them ------------===//
//
// A judge of what MinimizeWaits does for products, without code of the pass; AsyncPrograms.h is the one for copies. A
// run is unsafe if a tile is stored to while a product that is in flight reads it, if an accumulator is used while its
// product is in flight or was when a wait gave it back, or if a product is in flight at the end.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_PRODUCTPROGRAMS_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_PRODUCTPROGRAMS_H

#include "AsyncPrograms.h"

namespace hocket {

/// The text of a function with two accumulators, two tiles and a ring.
std::string randomProductProgram(std::mt19937 &random, AsyncProgramOptions options);

/// Is one of the `count` runs of `function` unsafe? `givenBack`: uses must be of what a wait has given back.
bool isProductUnsafeInSomeRun(mlir::Block &function, int count, bool givenBack, OtherWait other = {});

} // namespace hocket

#endif
