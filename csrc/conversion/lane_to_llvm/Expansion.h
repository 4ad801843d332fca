//===- Expansion.h - Common parts of expanding lane operations ----------------------------===//
//
// Expansion is the last step before LLVM IR. The folder of each vendor expands loads, stores and assertions. This file
// contains the common parts: predication by branches, and the names of scopes. Atomics.h contains that of atomics.
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

/// Splits the current basic block, and emits the code of `emit` in a branch between the halves, which lanes whose
/// `pred` is true take. If `pred` is null, all lanes take it. Returns a value that is the result of `emit` or, if
/// `pred` is false, `otherwise` (undefined if that is null); returns null if `emit` does. The builder continues in the
/// second half.
mlir::Value emitWhere(mlir::IRRewriter &rewriter, mlir::Location loc, mlir::Value pred, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> emit);

/// The names of memory ordering scopes in a vendor's LLVM back end.
struct ScopeNames {
  llvm::StringRef cta, gpu, sys;
  llvm::StringRef of(hk::MemScope scope) const;
};

} // namespace hocket

#endif
