//===- Expansion.h - What expanding lane operations has in common on all GPUs -------------===//
//
// The last step before LLVM IR: nothing reads the results but the back end. Each vendor's folder expands loads, stores
// and assertions in its own way; here are predication by branches and the names of scopes. Atomics.h has the rest.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_EXPANSION_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_EXPANSION_H

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// True if the predicate is missing or constantly true.
bool isAlways(mlir::Value pred);

/// Emits what `emit` emits where `pred` holds (everywhere if it is null): in a block of its own between the halves of
/// the current one. Returns the value that `emit` returned, or `otherwise` (undefined if null) where it does not hold;
/// null if `emit` returns null. The builder continues in the second half.
mlir::Value emitWhere(mlir::IRRewriter &rewriter, mlir::Location loc, mlir::Value pred, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> emit);

/// Names that a vendor's LLVM back end gives to the scopes of memory ordering.
struct ScopeNames {
  llvm::StringRef cta, gpu, sys;
  llvm::StringRef of(hk::MemScope scope) const;
};

} // namespace hocket

#endif
