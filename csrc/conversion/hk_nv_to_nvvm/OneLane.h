//===- OneLane.h - Emits code for one lane of a partition ------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_ONELANE_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_ONELANE_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// Emits the code of `emit` in a branch that a single lane of the block, or of the partition's warps, takes. All calls
/// use the same lane.
void emitInOneLane(LoweringContext &lowering, mlir::RewriterBase &rewriter, mlir::Location loc,
                   llvm::function_ref<void()> emit);

} // namespace hocket

#endif
