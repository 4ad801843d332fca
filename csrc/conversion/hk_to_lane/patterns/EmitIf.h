//===- EmitIf.h - Emits a branch in the middle of a lowering -------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_EMITIF_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_EMITIF_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Emits a branch to the code of `then` if `condition` is true, otherwise to the code of `otherwise`, which can be
/// null. Leaves the insertion point after the emitted code.
void emitIf(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = nullptr);

/// Emits a branch to the code of `then`. Returns the value that `then` returns, which is undefined at run time if
/// `condition` is false. Leaves the insertion point after the branch.
mlir::Value emitValueIf(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value condition,
                        llvm::function_ref<mlir::Value()> then);

} // namespace hocket

#endif
