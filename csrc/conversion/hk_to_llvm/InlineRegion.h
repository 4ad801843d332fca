//===- InlineRegion.h - The function of an operation, where it is called ---------------===//
#ifndef HOCKET_CONVERSION_HKTOLLVM_INLINEREGION_H
#define HOCKET_CONVERSION_HKTOLLVM_INLINEREGION_H

#include "dialect/hk/HkDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Calls the function that is `region`, of scalars, with `arguments` at the insertion point, which is left after the
/// call. Its blocks end in branches or in an operation that returns scalars, which lowered are of `resultTypes`.
/// `prints`: whether the lane is one that prints what the region does; null: all are.
llvm::SmallVector<mlir::Value> inlineRegion(mlir::RewriterBase &builder, mlir::Location loc, mlir::Region &region,
                                            llvm::ArrayRef<mlir::Value> arguments, mlir::TypeRange resultTypes,
                                            mlir::Value prints = {});

/// Combines two sets of scalars, one per operand of `op`. Each lane prints what it combines.
llvm::SmallVector<mlir::Value> inlineCombineRegion(mlir::RewriterBase &builder, hk::CombineRegion op,
                                                   llvm::ArrayRef<mlir::Value> lhs, llvm::ArrayRef<mlir::Value> rhs);

} // namespace hocket

#endif
