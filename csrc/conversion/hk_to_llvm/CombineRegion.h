//===- CombineRegion.h - The region that combines two elements, inlined ----------------===//
#ifndef HOCKET_CONVERSION_HKTOLLVM_COMBINEREGION_H
#define HOCKET_CONVERSION_HKTOLLVM_COMBINEREGION_H

#include "dialect/hk/HkDialect.h"

namespace hocket {

/// Combines two sets of scalars, one per operand of `op`, at the insertion point, which is left after the result.
llvm::SmallVector<mlir::Value> inlineCombineRegion(mlir::RewriterBase &builder, hk::CombineRegion op,
                                                   llvm::ArrayRef<mlir::Value> lhs, llvm::ArrayRef<mlir::Value> rhs);

} // namespace hocket

#endif
