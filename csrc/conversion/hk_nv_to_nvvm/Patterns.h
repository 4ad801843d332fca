//===- Patterns.h - The pattern sets of hk_nv_to_nvvm ---------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_PATTERNS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// Patterns for hk.async_copy_to_shared.
void populateAsyncCopyPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.async_store.
void populateAsyncStorePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.wait_for_grids, launch_dependents.
void populateGridControlPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.local_load, hk.local_store and hk.local_alloc by ldmatrix and stmatrix.
void populateMatrixMovePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.mbarrier_*.
void populateMbarrierPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.mma.
void populateMmaPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.named_barrier_arrive, named_barrier_wait.
void populateNamedBarrierPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.warpgroup_mma, warpgroup_mma_wait; hk.proxy_fence.
void populateWarpgroupPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

/// Patterns for hk_nv.tma_store, tma_store_wait, tma_load, tma_load_im2col.
void populateTmaPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_nv.make_tensor_desc, acquire_tensor_desc.
void populateTmaDescriptorPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

} // namespace hocket

#endif
