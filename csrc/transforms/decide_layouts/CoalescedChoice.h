//===- CoalescedChoice.h - A layout for whoever is asked for none --------------------===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_COALESCEDCHOICE_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_COALESCEDCHOICE_H

#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/HkDialect.h"

namespace hocket {

/// A blocked layout with which the lanes of a warp access neighbouring elements of global memory, each as many at once
/// as addresses and mask allow while all lanes have work.
hk::BlockedAttr chooseCoalesced(hk::GlobalAccess op, llvm::ArrayRef<int64_t> shape, const AxisInfoAnalysis &facts);

/// One for a tensor that is used in no access, at `op`: row-major.
hk::BlockedAttr chooseRowMajor(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

} // namespace hocket

#endif
