//===- UnrollLoops.cpp - Unrolls loops ------------------------------------------------===//
//
// A loop that the user wants unrolled (gl.range, loop_unroll_factor) becomes two: one of whole groups of iterations,
// and one of the remaining iterations.
//
//     for i = lower to upper step s     =>     for i = lower to middle step 2 * s { body(i); body(i + s) }
//                                              for i = middle to upper step s     { body(i) }
//
// Input:   hk; scf.for with hk.unroll, an i32 above 1.
// Output:  hk without hk.unroll. Other attributes of the loop are copied to both loops, and hk.series is a number
//          for each pair.
// Method:  middle = lower + trips / factor * factor * s, with trips computed without overflow for all bounds.
// Not done: choosing loops or factors; dropping a second loop without iterations (canonicalization does, if the bounds
//          are constants).
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_UNROLLLOOPS
#include "transforms/Passes.h.inc"

/// Returns the end of the last whole group of iterations.
static Value endOfGroups(OpBuilder &builder, scf::ForOp loop, int64_t factor) {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  // Computed as unsigned numbers, since upper - lower need not fit a signed one: 0 without iterations, else (upper -
  // lower - 1) / step + 1.
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value runs = arith::CmpIOp::create(builder, loc, predicate, lower, upper);
  Value distance = arith::SubIOp::create(builder, loc, upper, lower);
  Value last = arith::SubIOp::create(builder, loc, distance, constant(1));
  // A loop whose step is 0 at run time has bounds without iterations.
  Value divisor = arith::MaxUIOp::create(builder, loc, step, constant(1));
  Value before = arith::DivUIOp::create(builder, loc, last, divisor);
  Value trips = arith::AddIOp::create(builder, loc, before, constant(1));
  Value groups = arith::DivUIOp::create(builder, loc, trips, constant(factor));
  Value grouped = arith::MulIOp::create(builder, loc, groups, constant(factor));

  // The end of the last iteration may exceed the largest number: then the last group runs in the second loop.
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

  // The step of a group may exceed it, too: then there are no groups.
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
  made->removeAttr(hk::HkDialect::kUnrollAttr);
  return made;
}

/// Appends an iteration of `loop` to the builder's block, and returns the values that it carries to the next one.
static SmallVector<Value> cloneIteration(OpBuilder &builder, scf::ForOp loop, Value index, ValueRange carried) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapping.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Appends `count` iterations, beginning with that of the induction variable of `made`, and ends its body.
static void fill(OpBuilder &builder, scf::ForOp made, scf::ForOp loop, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = made.getBody();
  if (!body->empty()) // the builder of a loop without results has inserted the terminator
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

static void unroll(scf::ForOp loop, int64_t factor) {
  OpBuilder builder(loop);
  Type type = loop.getInductionVar().getType();
  Value middle = endOfGroups(builder, loop, factor);
  Value factorValue = arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(type, factor));
  Value wideStep = arith::MulIOp::create(builder, loop.getLoc(), loop.getStep(), factorValue);
  scf::ForOp groups = loopLike(builder, loop, loop.getLowerBound(), middle, wideStep, loop.getInitArgs());
  fill(builder, groups, loop, factor);
  scf::ForOp rest = loopLike(builder, loop, middle, loop.getUpperBound(), loop.getStep(), groups.getResults());
  rest->setAttr(hk::HkDialect::kSeriesAttr, builder.getUnitAttr());
  fill(builder, rest, loop, 1);
  loop.replaceAllUsesWith(rest.getResults());
  loop.erase();
}

/// Numbers the pairs of loops, after all copies have been made.
static void numberPairs(Operation *root) {
  int32_t number = 0;
  root->walk([&](scf::ForOp rest) {
    if (!isa_and_nonnull<UnitAttr>(rest->getAttr(hk::HkDialect::kSeriesAttr)))
      return;
    auto attribute = Builder(rest.getContext()).getI32IntegerAttr(number++);
    rest->setAttr(hk::HkDialect::kSeriesAttr, attribute);
    cast<scf::ForOp>(rest->getPrevNode())->setAttr(hk::HkDialect::kSeriesAttr, attribute);
  });
}

namespace {
struct UnrollLoopsPass : impl::UnrollLoopsBase<UnrollLoopsPass> {
  void runOnOperation() override {
    // Inner loops come first, so that an outer one copies the unrolled ones.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(hk::HkDialect::kUnrollAttr))
        loops.push_back(loop);
    });
    if (loops.empty())
      return markAllAnalysesPreserved();
    for (scf::ForOp loop : loops)
      unroll(loop, loop->getAttrOfType<IntegerAttr>(hk::HkDialect::kUnrollAttr).getInt());
    numberPairs(getOperation());
  }
};
} // namespace

} // namespace hocket
