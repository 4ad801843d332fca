//===- ShortenBlocks.h - Cuts long blocks, so that changing them is cheap -----------------===//
//
// Splitting a block tells each operation after the place of its new block, and asking which of two operations comes
// first counts through a block that has changed. A block that is split at every hundredth of its operations, for a
// predicate or a check, or whose operations are replaced one by one, would take time that grows with the square of its
// length.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_SHORTENBLOCKS_H
#define HOCKET_CONVERSION_HK_TO_LLVM_SHORTENBLOCKS_H

#include "mlir/IR/Region.h"

namespace hocket {

/// Cuts blocks of thousands of operations into pieces, each of which branches to the next. LLVM joins them again, but
/// for where something else was put between. Allocations stay in the first piece.
void shortenBlocks(mlir::Region &body);

} // namespace hocket

#endif
