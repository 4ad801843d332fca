//===- UnrollLoops.cpp - Unrolls loops ------------------------------------------------===//
//
// A loop with an unroll factor (gl.range, loop_unroll_factor) becomes two loops: the first loop runs groups of `factor`
// iterations, the second loop the remaining iterations.
//
//     for i = lower to upper step s     =>     for i = lower to middle step 2 * s { body(i); body(i + s) }
//                                              for i = middle to upper step s     { body(i) }
//
// Input:   hk; scf.for with hk.unroll, an i32 above 1.
// Output:  hk without hk.unroll. Other attributes of the loop are copied to both loops, and each pair of loops gets its
//          own number as hk.series.
// Method:  middle = lower + trips / factor * factor * s, with trips computed without overflow for all bounds.
// Not done: choosing loops or factors; removing a second loop that has no iterations (canonicalization removes the loop
//          if the bounds are constant).
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_UNROLLLOOPS
#include "transforms/Passes.h.inc"

/// Returns the value of the induction variable at the end of the last whole group of iterations.
static Value endOfGroups(OpBuilder &builder, scf::ForOp loop, int64_t factor) {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  // The trip count is 0, or (upper - lower - 1) / step + 1. The trip count is computed in unsigned arithmetic, because
  // upper - lower can overflow a signed integer.
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value runs = arith::CmpIOp::create(builder, loc, predicate, lower, upper);
  Value distance = arith::SubIOp::create(builder, loc, upper, lower);
  Value last = arith::SubIOp::create(builder, loc, distance, constant(1));
  // The step can be 0 if the loop has no iterations. The maximum avoids a division by 0.
  Value divisor = arith::MaxUIOp::create(builder, loc, step, constant(1));
  Value before = arith::DivUIOp::create(builder, loc, last, divisor);
  Value trips = arith::AddIOp::create(builder, loc, before, constant(1));
  Value groups = arith::DivUIOp::create(builder, loc, trips, constant(factor));
  Value grouped = arith::MulIOp::create(builder, loc, groups, constant(factor));

  // If the end of the last group overflows, the second loop runs the iterations of the last group.
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  APInt largest = loop.getUnsignedCmp() ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  Value largestNumber = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, largest));
  Value room = arith::SubIOp::create(builder, loc, largestNumber, upper);
  Value beyond = arith::SubIOp::create(builder, loc, step, constant(1));
  Value mayPass = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, beyond, room);
  Value isAll = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, grouped, trips);
  Value fewer = arith::SubIOp::create(builder, loc, grouped, constant(factor));
  Value isFewer = arith::AndIOp::create(builder, loc, isAll, mayPass);
  grouped = arith::SelectOp::create(builder, loc, isFewer, fewer, grouped);

  // If the step of the first loop overflows, the second loop runs all iterations.
  APInt largestStep = APInt::getSignedMaxValue(bits).udiv(factor);
  Value limit = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, largestStep));
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, step, limit);
  Value hasGroups = arith::AndIOp::create(builder, loc, runs, fits);
  Value length = arith::MulIOp::create(builder, loc, grouped, step);
  Value anyLength = arith::SelectOp::create(builder, loc, hasGroups, length, constant(0));
  return arith::AddIOp::create(builder, loc, lower, anyLength);
}

/// Creates an empty loop with the attributes of `loop`.
static scf::ForOp loopLike(OpBuilder &builder, scf::ForOp loop, Value lower, Value upper, Value step, ValueRange init) {
  auto made = scf::ForOp::create(builder, loop.getLoc(), lower, upper, step, init);
  made.setUnsignedCmp(loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  hk::kUnrollAttr.remove(made);
  return made;
}

/// Appends a copy of the body of `loop` to the builder's block, and returns the values that the copy yields.
static SmallVector<Value> cloneIteration(OpBuilder &builder, scf::ForOp loop, Value index, ValueRange carried) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapping.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Fills the body of `made` with `count` consecutive iterations of `loop`, the first one at the induction variable of
/// `made`.
static void fill(OpBuilder &builder, scf::ForOp made, scf::ForOp loop, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = made.getBody();
  if (!body->empty()) // scf::ForOp::create has inserted a terminator, as it does for loops without results
    body->getTerminator()->erase();
  builder.setInsertionPointToEnd(body);
  Value index = made.getInductionVar();
  SmallVector<Value> carried(made.getRegionIterArgs());
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0)
      index = arith::AddIOp::create(builder, loop.getLoc(), index, loop.getStep());
    carried = cloneIteration(builder, loop, index, carried);
  }
  scf::YieldOp::create(builder, loop.getLoc(), carried);
}

/// Value of hk.series for a remainder loop whose pair of loops has not been numbered yet.
static constexpr int64_t kUnnumbered = -1;

static void unroll(scf::ForOp loop, int64_t factor) {
  OpBuilder builder(loop);
  Type type = loop.getInductionVar().getType();
  Value middle = endOfGroups(builder, loop, factor);
  Value factorValue = arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(type, factor));
  Value wideStep = arith::MulIOp::create(builder, loop.getLoc(), loop.getStep(), factorValue);
  scf::ForOp groups = loopLike(builder, loop, loop.getLowerBound(), middle, wideStep, loop.getInitArgs());
  fill(builder, groups, loop, factor);
  scf::ForOp rest = loopLike(builder, loop, middle, loop.getUpperBound(), loop.getStep(), groups.getResults());
  hk::kSeriesAttr.set(rest, kUnnumbered);
  fill(builder, rest, loop, 1);
  loop.replaceAllUsesWith(rest.getResults());
  loop.erase();
}

/// Numbers the pairs of loops, after all copies have been made.
static void numberPairs(Operation *root) {
  int32_t number = 0;
  root->walk([&](scf::ForOp rest) {
    if (hk::kSeriesAttr.get(rest) != kUnnumbered)
      return;
    hk::kSeriesAttr.set(rest, number);
    hk::kSeriesAttr.set(rest->getPrevNode(), number++);
  });
}

namespace {
struct UnrollLoopsPass : impl::UnrollLoopsBase<UnrollLoopsPass> {
  void runOnOperation() override {
    // Inner loops are unrolled first, so that the copies of an outer loop contain unrolled inner loops.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (hk::kUnrollAttr.isOn(loop))
        loops.push_back(loop);
    });
    if (loops.empty())
      return markAllAnalysesPreserved();
    for (scf::ForOp loop : loops)
      unroll(loop, *hk::kUnrollAttr.get(loop));
    numberPairs(getOperation());
  }
};
} // namespace

} // namespace hocket
