//===- AsyncGroups.cpp - Lowers commits and waits of asynchronous copy groups ----------===//
//
//   hk.async_commit_group, async_wait_group     the lane operations with the same names
//
// The vendor's lowerings emit the copies of a group and the instruction that waits for the group.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct AsyncCommitGroupLowering : LoweringPattern<hk::AsyncCommitGroupOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AsyncCommitGroupOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<lane::AsyncCommitGroupOp>(op);
    return success();
  }
};

struct AsyncWaitGroupLowering : LoweringPattern<hk::AsyncWaitGroupOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AsyncWaitGroupOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<lane::AsyncWaitGroupOp>(op, op.getOutstandingAttr());
    return success();
  }
};

} // namespace

void populateAsyncGroupPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<AsyncCommitGroupLowering, AsyncWaitGroupLowering>(lowering);
}

} // namespace hocket
