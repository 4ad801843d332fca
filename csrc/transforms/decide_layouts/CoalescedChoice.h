//===- CoalescedChoice.h - Chooses a coalesced layout for tensors without a required one -===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_COALESCEDCHOICE_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_COALESCEDCHOICE_H

#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

/// Returns a blocked layout in which the lanes of a warp access adjacent elements of global memory. Each lane accesses
/// the largest vector that addresses and mask allow while all lanes have elements.
hk::BlockedAttr chooseCoalesced(hk::GlobalAccess op, llvm::ArrayRef<int64_t> shape, const AxisInfoAnalysis &facts);

/// Returns a row-major layout for a tensor at `op` without accesses.
hk::BlockedAttr chooseRowMajor(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

} // namespace hocket

#endif
