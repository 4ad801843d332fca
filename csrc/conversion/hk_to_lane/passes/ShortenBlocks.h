//===- ShortenBlocks.h - Splits long basic blocks, so that changing them is cheap ---------===//
//
// Splitting a basic block updates each operation after the split. Comparing the positions of two operations renumbers
// all operations of a changed block. The compile time of passes that split a block at every predicate, or replace
// operations one by one, is therefore quadratic in the length of the block.
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
