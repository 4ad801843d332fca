//===- SharedMemoryViews.h - Lowers views of buffers in shared memory -------------===//
//
// A view is a part of a buffer, or the whole buffer with another type. SharedMemory.cpp adds the patterns for views.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_SHAREDMEMORYVIEWS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_SHAREDMEMORYVIEWS_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// Patterns for hk.memdesc_index, memdesc_slice, memdesc_permute, memdesc_reshape, memdesc_reinterpret.
void populateSharedMemoryViewPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

} // namespace hocket

#endif
