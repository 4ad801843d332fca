//===- EmitIf.h - A branch in the middle of a lowering -------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_EMITIF_H
#define HOCKET_CONVERSION_HK_TO_LLVM_EMITIF_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Emits `then` where `condition` holds and `otherwise`, if it is not null, elsewhere; goes on after both.
void emitIf(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = nullptr);

/// The value that `then` emits where `condition` holds, undefined elsewhere; goes on after both.
mlir::Value emitValueIf(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value condition,
                        llvm::function_ref<mlir::Value()> then);

} // namespace hocket

#endif
