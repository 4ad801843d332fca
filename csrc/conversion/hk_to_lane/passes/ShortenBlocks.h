//===- ShortenBlocks.h - Splits long basic blocks, so that changing them is cheap ---------===//
//
// Splitting a block updates each operation after the split, and comparing the positions of two operations renumbers a
// block that has changed. If a block is split at every predicate or check, or if its operations are replaced one by
// one, the compile time is quadratic in the length of the block.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_SHORTENBLOCKS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_SHORTENBLOCKS_H

#include "mlir/IR/Region.h"

namespace hocket {

/// Splits blocks of thousands of operations into parts, each of which branches to the next part. LLVM merges the parts
/// again, unless other blocks have been inserted between them. Stack allocations stay in the first part.
void shortenBlocks(mlir::Region &body);

} // namespace hocket

#endif
