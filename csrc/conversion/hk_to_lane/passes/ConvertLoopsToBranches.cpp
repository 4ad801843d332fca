//===- ConvertLoopsToBranches.cpp - Converts structured control flow to branches -------===//
//
// Input:   hk with scf.
// Output:  hk with cf in place of scf.
// Method:  MLIR's patterns, except for loops in which i + step can overflow, because `i + step < end` would then always
//          be true. A loop in which i + step can overflow compares before the addition:
//
//            ^entry:                cond_br (start < end), ^body(start), ^exit
//            ^body(i):  ...         cond_br (end - i > step, unsigned), ^body(i + step), ^exit
//
//          i < end, so end - i fits into an unsigned integer. A module without scf is unchanged, at the cost of a walk.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTLOOPSTOBRANCHES
#include "conversion/hk_to_lane/passes/Passes.h.inc"

/// True if constants prove that i + step is at most the largest integer for each i < end.
static bool staysInRange(scf::ForOp loop) {
  APInt step, end;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  if (step.isOne())
    return true;
  if (!matchPattern(loop.getUpperBound(), m_ConstantInt(&end)))
    return false;
  bool overflows;
  loop.getUnsignedCmp() ? (void)end.uadd_ov(step - 1, overflows) : (void)end.sadd_ov(step - 1, overflows);
  return !overflows && !step.isNegative();
}

static bool isStructured(Operation *op) { return isa<scf::SCFDialect>(op->getDialect()); }

namespace {

struct ConvertLoopThatMayOverflow : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    if (staysInRange(loop))
      return rewriter.notifyMatchFailure(loop, "the last step cannot overflow");
    Location loc = loop.getLoc();
    Value start = loop.getLowerBound(), end = loop.getUpperBound(), step = loop.getStep();

    Block *entry = loop->getBlock();
    Block *exit = rewriter.splitBlock(entry, Block::iterator(loop));
    SmallVector<Location> locations(loop.getNumResults(), loc);
    auto results = exit->addArguments(loop.getResultTypes(), locations);
    SmallVector<Value> values(results.begin(), results.end());

    Block *first = loop.getBody(), *last = &loop.getRegion().back();
    SmallVector<Value> initial = {start};
    llvm::append_range(initial, loop.getInitArgs());
    rewriter.setInsertionPointToEnd(entry);
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(rewriter, loc, predicate, start, end);
    cf::CondBranchOp::create(rewriter, loc, runs, first, initial, exit, loop.getInitArgs());

    Operation *yield = last->getTerminator();
    SmallVector<Value> carried(yield->getOperands());
    rewriter.setInsertionPoint(yield);
    Value index = loop.getInductionVar();
    Value left = arith::SubIOp::create(rewriter, loc, end, index);
    Value goesOn = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt, left, step);
    SmallVector<Value> next = {arith::AddIOp::create(rewriter, loc, index, step)};
    llvm::append_range(next, carried);
    cf::CondBranchOp::create(rewriter, loc, goesOn, first, next, exit, carried);
    rewriter.eraseOp(yield);

    rewriter.inlineRegionBefore(loop.getRegion(), exit);
    rewriter.replaceOp(loop, values);
    return success();
  }
};

struct ConvertLoopsToBranches : impl::ConvertLoopsToBranchesBase<ConvertLoopsToBranches> {
  void runOnOperation() override {
    auto interruptIfStructured = [](Operation *op) {
      return isStructured(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!getOperation().walk(interruptIfStructured).wasInterrupted())
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    patterns.add<ConvertLoopThatMayOverflow>(&getContext(), PatternBenefit(2));
    ConversionTarget target(getContext());
    target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ExecuteRegionOp, scf::IndexSwitchOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace hocket
