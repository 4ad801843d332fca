//===- UnusedCopies.h - Marks loads whose copies in other lanes are unused -------------------------===//
//
// If a layout replicates an element in several lanes, all of these lanes load the element, and one of them stores it.
// For example, in
//
//     gl.store(x + i, gl.load(x + i) + 1)
//
// only the first lane stores, and values that other lanes have loaded are not used. A load of another lane after the
// store is therefore not a race. An attribute of the load identifies the lanes whose loaded values are not used, so
// that the emulator checks only the first lane for races.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_UNUSEDCOPIES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_UNUSEDCOPIES_H

#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

class LoweringContext;

/// Sets lane::kUnusedCopiesAttr on the loads of `function` that have unused copies. The lowerings of loads pass the
/// attribute to lane.load. Must be called before any operation is lowered, because markUnusedCopies traces tensors
/// through the blocks of `function`.
void markUnusedCopies(LoweringContext &lowering, mlir::func::FuncOp function);

} // namespace hocket

#endif
