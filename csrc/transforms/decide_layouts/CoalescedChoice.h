//===- CoalescedChoice.h - Chooses a coalesced layout for tensors without a required layout ---===//
#ifndef HOCKET_TRANSFORMS_DECIDE_LAYOUTS_COALESCEDCHOICE_H
#define HOCKET_TRANSFORMS_DECIDE_LAYOUTS_COALESCEDCHOICE_H

#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

/// Returns a blocked layout in which the lanes of a warp access adjacent elements of global memory. Each lane accesses
/// the largest aligned contiguous vector that has a single mask value. The vector is narrower if some lanes would
/// otherwise have no element.
hk::BlockedAttr chooseCoalesced(hk::GlobalAccess op, llvm::ArrayRef<int64_t> shape, const AxisInfoAnalysis &facts);

/// Returns a row-major layout for a tensor at `op` that no access of global memory uses.
hk::BlockedAttr chooseRowMajor(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

} // namespace hocket

#endif
