//===- Expansions.h - Expansions of lane operations for NVIDIA ----------------------------===//
//
// Each function replaces one operation. The rewriter's insertion point is before this operation.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_EXPANSIONS_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_EXPANSIONS_H

#include "dialect/lane/LaneClusterOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "target/TargetInfo.h"

namespace hocket::nvvm {

mlir::LogicalResult expandLoad(mlir::IRRewriter &rewriter, lane::LoadOp op);
mlir::LogicalResult expandStore(mlir::IRRewriter &rewriter, lane::StoreOp op);
mlir::LogicalResult expandAtomicRmw(mlir::IRRewriter &rewriter, lane::AtomicRmwOp op);
mlir::LogicalResult expandAtomicCas(mlir::IRRewriter &rewriter, lane::AtomicCasOp op);
/// Expands a copy with the attribute lane.cache_policy.
mlir::LogicalResult expandCopyWithPolicy(mlir::IRRewriter &rewriter, mlir::NVVM::CpAsyncOp op);
mlir::LogicalResult expandCachePolicy(mlir::IRRewriter &rewriter, lane::CachePolicyOp op);
/// Returns the scope of waits for mbarriers. The scope is the cluster if other blocks arrive at mbarriers after they
/// have written data, or store asynchronously. Otherwise the scope is the block, even with multicast copies, because
/// waits of cluster scope invalidate the L1 cache.
mlir::NVVM::MemScopeKind scopeOfWaits(mlir::ModuleOp module);
mlir::LogicalResult expandMbarrierWait(mlir::IRRewriter &rewriter, lane::MbarrierWaitOp op, const TargetInfo &target,
                                       mlir::NVVM::MemScopeKind scope);
mlir::LogicalResult expandStoreAsync(mlir::IRRewriter &rewriter, lane::StoreAsyncOp op);
mlir::LogicalResult expandMma(mlir::IRRewriter &rewriter, lane::MmaOp op);
/// Expands all lane.wgmma and lane.wgmma_fence of a block.
void expandWgmmas(mlir::IRRewriter &rewriter, mlir::Block &block);
mlir::LogicalResult expandWgmmaWait(mlir::IRRewriter &rewriter, lane::WgmmaWaitOp op);
mlir::LogicalResult expandAssert(mlir::IRRewriter &rewriter, lane::AssertOp op);
mlir::LogicalResult expandPrint(mlir::IRRewriter &rewriter, lane::PrintOp op);

/// Returns a generic pointer to a constant string. Equal strings share one constant.
mlir::Value stringAddress(mlir::IRRewriter &rewriter, mlir::ModuleOp module, mlir::Location loc, llvm::StringRef text);

/// Emits a printf of `values` with the C format `format`, after a prefix with the block, warp and lane.
void emitPrintf(mlir::IRRewriter &rewriter, mlir::Operation *at, const std::string &format, mlir::ValueRange values);

} // namespace hocket::nvvm

#endif
