//===- ShortenBlocks.h - Splits long blocks, so that changing them is cheap ---------------===//
//
// Splitting a block updates each operation after the split, and comparing the positions of two operations
// renumbers a block that has changed. For a block that is split after every hundred operations, for a
// predicate or a check, or whose operations are replaced one by one, this would take time quadratic in its
// length.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_SHORTENBLOCKS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_SHORTENBLOCKS_H

#include "mlir/IR/Region.h"

namespace hocket {

/// Splits blocks of thousands of operations into parts, each of which branches to the next. LLVM merges them again,
/// unless other blocks were inserted between them. Allocations stay in the first part.
void shortenBlocks(mlir::Region &body);

} // namespace hocket

#endif
