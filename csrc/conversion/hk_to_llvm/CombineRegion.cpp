//===- CombineRegion.cpp - The region that combines two elements, inlined --------------===//
//
// The region's operations are cloned as they are (scalar arith and math); the conversion lowers the clones. A region
// with branches is cloned block by block: lanes may part inside, and meet again after it, before the next shuffle.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/CombineRegion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace hocket {

/// Clones the region's blocks between what is before and after the insertion point. The results are arguments of
/// the block after, where the insertion point is left.
static SmallVector<Value> cloneBlocks(RewriterBase &builder, hk::CombineRegion op, IRMapping &mapping) {
  Region &region = op.getCombine();
  Location loc = op.getLoc();
  Block *before = builder.getInsertionBlock();
  Block *after = builder.splitBlock(before, builder.getInsertionPoint());
  SmallVector<Value> results;
  for (BlockArgument left : region.getArguments().take_front(op.getSrcs().size()))
    results.push_back(after->addArgument(mapping.lookup(left).getType(), loc));

  builder.cloneRegionBefore(region, *after->getParent(), after->getIterator(), mapping);
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange(), mapping.lookup(&region.front()));
  for (Block &block : region) {
    auto end = dyn_cast<hk::CombineReturnOp>(mapping.lookup(&block)->getTerminator());
    if (!end)
      continue;
    builder.setInsertionPoint(end);
    builder.replaceOpWithNewOp<LLVM::BrOp>(end, end.getValues(), after);
  }
  builder.setInsertionPointToStart(after);
  return results;
}

SmallVector<Value> inlineCombineRegion(RewriterBase &builder, hk::CombineRegion op, ArrayRef<Value> lhs,
                                       ArrayRef<Value> rhs) {
  Block &block = op.getCombine().front();
  IRMapping mapping;
  mapping.map(block.getArguments().take_front(lhs.size()), lhs);
  mapping.map(block.getArguments().drop_front(lhs.size()), rhs);
  if (!op.getCombine().hasOneBlock())
    return cloneBlocks(builder, op, mapping);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, mapping);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace hocket
