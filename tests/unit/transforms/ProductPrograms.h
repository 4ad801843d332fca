//===- ProductPrograms.h - Random programs with wgmma, and runs of them -----------------------------===//
//
// An oracle for MinimizeWaits with wgmma that shares no code with the pass; AsyncPrograms.h is the one for copies. A
// run is unsafe if a tile is stored to while a wgmma in flight reads it, if an accumulator is used while its wgmma is
// in flight or was in flight when a wait returned it, or if a wgmma is in flight at the end.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_PRODUCTPROGRAMS_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_PRODUCTPROGRAMS_H

#include "AsyncPrograms.h"

namespace hocket {

/// The text of a function with two accumulators, two tiles and a ring.
std::string randomProductProgram(std::mt19937 &random, AsyncProgramOptions options);

/// True if one of the `count` runs of `function` is unsafe. `givenBack`: only values that a wait has returned may be
/// used.
bool isProductUnsafeInSomeRun(mlir::Block &function, int count, bool givenBack, OtherWait other = {});

} // namespace hocket

#endif
