//===- Expansion.h - Helpers that expand lane operations for both vendors -----------------===//
//
// Expansion is the last step before LLVM IR. The folder of each vendor expands loads, stores and assertions. Both
// vendors use the functions of this file for predication by branches, and for names of scopes. Atomics.h contains the
// expansion of atomics for both vendors.
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

/// Emits the code of `emit` in a branch that is taken by the lanes whose `pred` is true, or by all lanes if `pred` is
/// null. Splits the current basic block at the insertion point. Leaves the insertion point after the branch. Returns
/// the value of `emit` for lanes that take the branch, and `otherwise` (undefined if null) for other lanes. Returns
/// null if `emit` returns null.
mlir::Value emitWhere(mlir::IRRewriter &rewriter, mlir::Location loc, mlir::Value pred, mlir::Value otherwise,
                      llvm::function_ref<mlir::Value()> emit);

/// The names of memory ordering scopes in a vendor's LLVM back end.
struct ScopeNames {
  llvm::StringRef cta, gpu, sys;
  llvm::StringRef of(hk::MemScope scope) const;
};

} // namespace hocket

#endif
