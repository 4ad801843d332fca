//===- ShortenBlocks.cpp - Splits long basic blocks, so that changing them is cheap ------===//
#include "conversion/hk_to_lane/passes/ShortenBlocks.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace hocket {

constexpr size_t kLongBlock = 2048;
constexpr size_t kPiece = 256;

/// Returns the operations before which the block is split.
static SmallVector<Operation *> beginsOfPieces(Block &block) {
  SmallVector<Operation *> begins;
  size_t count = 0, sinceLast = 0;
  for (Operation &op : block) {
    ++count;
    if (isa<LLVM::AllocaOp>(op))
      begins.clear();
    if (++sinceLast < kPiece)
      continue;
    begins.push_back(&op);
    sinceLast = 0;
  }
  if (count < kLongBlock)
    begins.clear();
  return begins;
}

void shortenBlocks(Region &body) {
  OpBuilder builder(body.getContext());
  for (Block &block : llvm::make_early_inc_range(body)) {
    SmallVector<Operation *> begins = beginsOfPieces(block);
    for (Operation *begin : llvm::reverse(begins)) { // from the end, because a split updates all operations after it
      Block *piece = block.splitBlock(begin);
      builder.setInsertionPointToEnd(&block);
      LLVM::BrOp::create(builder, begin->getLoc(), ValueRange(), piece);
    }
  }
}

} // namespace hocket
