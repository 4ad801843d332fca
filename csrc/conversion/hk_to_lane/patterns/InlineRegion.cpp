//===- InlineRegion.cpp - Inlines the region of an operation ---------------------------===//
//
// The region's operations (scalar arith and math) are cloned unchanged; the conversion lowers the clones. If the region
// has branches, lanes can diverge in the inlined code; the lanes converge after the inlined code, before the next
// shuffle. The inlined code computes scalars of a single lane, so hk.print in the region is lowered to lane.print.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/InlineRegion.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace hocket {

static bool endsRegion(Operation *op) { return op->hasTrait<OpTrait::ReturnLike>(); }

static void replacePrint(RewriterBase &builder, hk::PrintOp print, Value prints) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(print);
  builder.replaceOpWithNewOp<lane::PrintOp>(print, print.getTextAttr(), ValueRange(), print.getValues(), prints);
}

/// Clones the region's blocks between the operations before and after the insertion point. Returns the results as
/// arguments of the basic block after the region, and leaves the insertion point at the start of that block.
static SmallVector<Value> cloneBlocks(RewriterBase &builder, Location loc, Region &region, TypeRange resultTypes,
                                      IRMapping &mapping, Value prints) {
  Block *before = builder.getInsertionBlock();
  Block *after = builder.splitBlock(before, builder.getInsertionPoint());
  SmallVector<Value> results;
  for (Type type : resultTypes)
    results.push_back(after->addArgument(type, loc));

  builder.cloneRegionBefore(region, *after->getParent(), after->getIterator(), mapping);
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange(), mapping.lookup(&region.front()));
  for (Block &block : region) {
    Block *clone = mapping.lookup(&block);
    for (auto print : llvm::make_early_inc_range(clone->getOps<hk::PrintOp>()))
      replacePrint(builder, print, prints);
    Operation *end = clone->getTerminator();
    if (!endsRegion(end))
      continue;
    builder.setInsertionPoint(end);
    builder.replaceOpWithNewOp<LLVM::BrOp>(end, end->getOperands(), after);
  }
  builder.setInsertionPointToStart(after);
  return results;
}

SmallVector<Value> inlineRegion(RewriterBase &builder, Location loc, Region &region, ArrayRef<Value> arguments,
                                TypeRange resultTypes, Value prints) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  if (!region.hasOneBlock())
    return cloneBlocks(builder, loc, region, resultTypes, mapping, prints);
  Block &block = region.front();
  for (Operation &inner : block.without_terminator())
    if (auto print = dyn_cast<hk::PrintOp>(builder.clone(inner, mapping)))
      replacePrint(builder, print, prints);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> inlineCombineRegion(RewriterBase &builder, hk::CombineRegion op, ArrayRef<Value> lhs,
                                       ArrayRef<Value> rhs) {
  SmallVector<Value> arguments(lhs);
  llvm::append_range(arguments, rhs);
  return inlineRegion(builder, op.getLoc(), op.getCombine(), arguments, ValueRange(lhs).getTypes());
}

} // namespace hocket
