//===- SharedMemoryViews.h - Operations that look at a part of a buffer -----------===//
//
// Or at all of it as something else. Called by SharedMemory.cpp.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_SHAREDMEMORYVIEWS_H
#define HOCKET_CONVERSION_HK_TO_LLVM_SHAREDMEMORYVIEWS_H

#include "mlir/IR/PatternMatch.h"

namespace hocket {

class LoweringContext;

/// hk.memdesc_index, memdesc_slice, memdesc_permute, memdesc_reshape, memdesc_reinterpret.
void populateSharedMemoryViewPatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns);

} // namespace hocket

#endif
