//===- EmitIf.h - Emits a branch in the middle of a lowering -------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_EMITIF_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_EMITIF_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Emits a branch to `then` or, if it is not null, `otherwise`. The insertion point is left after both.
void emitIf(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = nullptr);

/// Emits a branch to `then`, and returns the value that it emits, undefined if `condition` is false. The insertion
/// point is left after it.
mlir::Value emitValueIf(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value condition,
                        llvm::function_ref<mlir::Value()> then);

} // namespace hocket

#endif
