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

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

class LoweringContext;

/// Gives loads lane::LaneDialect::kUnusedCopiesAttr, which their lowerings hand on. Before the first of these: it
/// follows values through the blocks of the function.
void markUnusedCopies(LoweringContext &lowering, mlir::func::FuncOp function);

} // namespace hocket

#endif
