//===- OneLane.h - What one lane of a partition does for all ---------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_ONELANE_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_ONELANE_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// Runs `emit` in one lane of the block, or of a partition's warps, the same each time.
void emitInOneLane(LoweringContext &lowering, mlir::RewriterBase &rewriter, mlir::Location loc,
                   llvm::function_ref<void()> emit);

} // namespace hocket

#endif
