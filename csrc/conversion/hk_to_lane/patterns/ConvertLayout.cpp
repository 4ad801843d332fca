//===- ConvertLayout.cpp - Lowers hk.convert_layout --------------------------------===//
//
//   registers   no instruction: the result's registers are the operand's, in another order
//   shuffle     shuffles between lanes (ConvertLayoutShuffle.cpp)
//   shared      llvm.store, barrier, llvm.load through scratch memory (ConvertLayoutShared.cpp)
//   cluster     the same as `shared`, through scratch memory of all CTAs of a cluster (ConvertLayoutCluster.cpp)
//
// plans/ConvertLayoutPlan.h explains the plans, and selects the plan of an operation.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/ConvertLayout.h"

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/TilePlans.h"

using namespace mlir;

namespace hocket {

namespace {
struct ConvertLayoutLowering : LoweringPattern<hk::ConvertLayoutOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto planned = hk::planConvertLayout(cast<RankedTensorType>(op.getSrc().getType()),
                                         cast<RankedTensorType>(op.getType()), lowering.target);
    if (!planned)
      return op.emitError(
          "a conversion between blocks of a cluster needs a layout in which the part of each block is a box of the "
          "tile");
    ConvertLayoutPlan &plan = *planned;
    ValueRange src = adaptor.getSrc();
    SmallVector<Value> result;
    if (auto *moves = std::get_if<RegisterMoves>(&plan)) {
      for (unsigned source : moves->source)
        result.push_back(src[source]);
    } else if (auto *moves = std::get_if<ShuffleMoves>(&plan)) {
      result = emitShuffleMoves(lowering, rewriter, op.getLoc(), *moves, src);
    } else {
      Value scratch = lowering.allocatedAddress(rewriter, op);
      if (!scratch)
        return failure();
      if (auto *moves = std::get_if<ClusterMoves>(&plan))
        result = emitClusterMoves(lowering, rewriter, op.getLoc(), *moves, scratch, src);
      else
        result = emitSharedMoves(lowering, rewriter, op.getLoc(), std::get<SharedMoves>(plan), scratch, src);
    }
    rewriter.replaceOpWithMultiple(op, {result});
    return success();
  }
};
} // namespace

void populateConvertLayoutPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<ConvertLayoutLowering>(lowering);
}

} // namespace hocket
