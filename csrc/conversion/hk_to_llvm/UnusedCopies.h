//===- UnusedCopies.h - Lanes that load what they will not use -------------------------------------===//
//
// Where a layout gives an element to several lanes, all of them load it, and one stores it. In
//
//     gl.store(x + i, gl.load(x + i) + 1)
//
// what the others load makes no difference, so it does not matter either that they may load it after the store. The
// emulator is told which lanes these are, and looks for races of the first copy only.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_UNUSEDCOPIES_H
#define HOCKET_CONVERSION_HK_TO_LLVM_UNUSEDCOPIES_H

#include "mlir/IR/Operation.h"

namespace hocket {

class LoweringContext;

/// Bits of the number of a thread in its block. What `load` gives to threads in whose numbers one of them is set is not
/// used: their values only flow to stores that they do not make. 0 if all are used, or there are no copies.
int64_t findUnusedCopies(LoweringContext &lowering, mlir::Operation *load);

/// The same, as the attribute that tells the emulator; null for 0.
mlir::IntegerAttr unusedCopiesAttr(LoweringContext &lowering, mlir::Operation *load);

} // namespace hocket

#endif
