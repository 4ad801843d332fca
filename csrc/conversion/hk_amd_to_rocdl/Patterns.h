//===- Patterns.h - The pattern sets of hk_amd_to_rocdl -------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_PATTERNS_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// Patterns for hk_amd.buffer_load, buffer_store.
void populateBufferAccessPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_amd.buffer_atomic_rmw.
void populateBufferAtomicPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_amd.buffer_load_to_shared, hk.async_copy_to_shared.
void populateDirectToSharedPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns that lower hk.local_load to transposing LDS reads, if the layouts allow.
void populateTransposedReadPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_amd.mfma.
void populateMfmaPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_amd.mfma_scaled.
void populateMfmaScaledPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk_amd.sched_group_barrier.
void populateSchedulingPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

} // namespace hocket

#endif
