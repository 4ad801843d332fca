//===- Patterns.h - The pattern sets of hk_to_lane ---------------------------------===//
//
// One function per family of operations; ConvertHkToLane.cpp calls all of these functions. Every pattern lowers
// directly to lane form: LLVM dialect, lane operations, and NVVM or ROCDL through TargetLowering. Emitted operations
// are not converted again.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_PATTERNS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// Patterns for func.func, func.return, cf branches, hk.program_id, hk.num_programs, hk.barrier, hk.sched_barrier,
/// hk.assert, hk.assume.
void populateControlPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.slot_barrier, group_barrier, begin_exclusive, end_exclusive, set_priority.
void populatePipelineBarrierPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for lane.start_workers.
void populatePartitionPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.print.
void populatePrintPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for arith and for integer or pointer operations of hk, register by register.
void populateElementwisePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for arith conversions between types.
void populateCastPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for the math dialect.
void populateMathPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for constants, hk.arange, splat, expand_dims, broadcast, reshape, permute, join and split.
void populateViewPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.load, hk.store.
void populateGlobalMemoryPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.atomic_rmw, hk.atomic_cas.
void populateAtomicPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.convert_layout.
void populateConvertLayoutPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.reduce.
void populateReducePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.scan.
void populateScanPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.gather.
void populateGatherPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.histogram.
void populateHistogramPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.map, hk.inline_asm.
void populatePerElementPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.local_alloc, local_load, local_store and the views of memory descriptors.
void populateSharedMemoryPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.local_gather, local_scatter, local_atomic_scatter.
void populateSelectedElementPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.async_commit_group, async_wait_group.
void populateAsyncGroupPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Patterns for hk.dot_fma.
void populateDotFmaPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

} // namespace hocket

#endif
