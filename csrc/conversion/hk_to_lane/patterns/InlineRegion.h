//===- InlineRegion.h - Inlines the region of an operation -----------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_INLINEREGION_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_INLINEREGION_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Inlines `region`, a function of scalars, at the insertion point. Leaves the insertion point after the inlined code.
/// The blocks of the region end in branches, or in an operation that returns scalars, whose lowered types are
/// `resultTypes`. `prints` is an i1 that is true in lanes that print; null if all lanes print.
llvm::SmallVector<mlir::Value> inlineRegion(mlir::RewriterBase &builder, mlir::Location loc, mlir::Region &region,
                                            llvm::ArrayRef<mlir::Value> arguments, mlir::TypeRange resultTypes,
                                            mlir::Value prints = {});

/// Inlines the region of `op` to combine two tuples of scalars, which have one scalar for each operand of `op`. Prints
/// in the region are executed by each lane.
llvm::SmallVector<mlir::Value> inlineCombineRegion(mlir::RewriterBase &builder, hk::CombineRegion op,
                                                   llvm::ArrayRef<mlir::Value> lhs, llvm::ArrayRef<mlir::Value> rhs);

} // namespace hocket

#endif
