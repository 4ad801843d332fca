//===- Patterns.h - The pattern sets of hk_to_llvm ---------------------------------===//
//
// One function per family of operations; ConvertHkToLlvm.cpp calls them all. Every pattern lowers straight to the lane
// form (LLVM dialect, NVVM or ROCDL through TargetLowering, and lane operations): nothing that they emit is converted
// again.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_PATTERNS_H
#define HOCKET_CONVERSION_HK_TO_LLVM_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// func.func, func.return, cf branches, hk.program_id, hk.num_programs, hk.barrier, hk.sched_barrier, hk.assert,
/// hk.assume.
void populateControlPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// lane.start_workers.
void populatePartitionPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.print.
void populatePrintPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// arith and integer or pointer operations of hk, register by register.
void populateElementwisePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// arith conversions between types.
void populateCastPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// math.
void populateMathPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// Constants, hk.arange, hk.splat, hk.expand_dims, hk.broadcast, hk.reshape, hk.permute, hk.join, hk.split.
void populateViewPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.load, hk.store.
void populateGlobalMemoryPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.atomic_rmw, hk.atomic_cas.
void populateAtomicPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.convert_layout.
void populateConvertLayoutPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.reduce.
void populateReducePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.scan.
void populateScanPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.gather.
void populateGatherPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.histogram.
void populateHistogramPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.map, hk.inline_asm.
void populatePerElementPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.local_alloc, local_load, local_store and the views of memory descriptors.
void populateSharedMemoryPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.local_gather, local_scatter, local_atomic_scatter.
void populateSelectedElementPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.async_commit_group, async_wait_group.
void populateAsyncGroupPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);
/// hk.dot_fma.
void populateDotFmaPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

} // namespace hocket

#endif
