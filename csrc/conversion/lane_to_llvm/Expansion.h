//===- Expansion.h - Common parts of expanding lane operations ----------------------------===//
//
// Expansion is the last step before LLVM IR: only the back end reads the results. Each vendor's folder expands loads,
// stores and assertions in its own way; this file has predication by branches and the names of scopes, Atomics.h the
// rest.
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

/// Emits `emit` for lanes whose `pred` is true (all if it is null), in a block of its own between the halves of the
/// current one. Returns the value that `emit` returned, or `otherwise` (undefined if null) if `pred` is false; null if
/// `emit` returns null. The builder continues in the second half.
mlir::Value emitWhere(mlir::IRRewriter &rewriter, mlir::Location loc, mlir::Value pred, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> emit);

/// Names that a vendor's LLVM back end gives to the scopes of memory ordering.
struct ScopeNames {
  llvm::StringRef cta, gpu, sys;
  llvm::StringRef of(hk::MemScope scope) const;
};

} // namespace hocket

#endif
