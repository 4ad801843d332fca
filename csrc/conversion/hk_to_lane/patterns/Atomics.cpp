//===- Atomics.cpp - Lowers hk.atomic_rmw and hk.atomic_cas ----------------------------------===//
//
// Emits one lane.atomic_rmw (or _cas) per element, in the first of the lanes that hold the element (OncePerElement.h).
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/OncePerElement.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// Returns a plan that accesses elements one by one.
OncePerElement elementwise(LoweringContext &lowering, ConversionPatternRewriter &rewriter, Operation *op, Type type) {
  return OncePerElement(lowering, rewriter, op, type, planVectorAccess(elementIndex(lowering.layoutOf(type)), 1));
}

struct AtomicRmwLowering : LoweringPattern<hk::AtomicRmwOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AtomicRmwOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    OncePerElement atomic = elementwise(lowering, rewriter, op, op.getType());
    if (failed(atomic.check()))
      return failure();
    ValueRange pointers = adaptor.getPtr(), values = adaptor.getValue();
    auto emit = [&](ArrayRef<int32_t> group, Value pred, MutableArrayRef<Value> results) {
      int32_t reg = group.front();
      results[reg] = lane::AtomicRmwOp::create(rewriter, op.getLoc(), values[reg].getType(), op.getOp(), pointers[reg],
                                               values[reg], pred, op.getSem(), op.getScope());
    };
    rewriter.replaceOpWithMultiple(op, {atomic.run(adaptor.getMask(), op.getSem(), emit)});
    return success();
  }
};

struct AtomicCasLowering : LoweringPattern<hk::AtomicCasOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AtomicCasOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    OncePerElement atomic = elementwise(lowering, rewriter, op, op.getType());
    if (failed(atomic.check()))
      return failure();
    ValueRange pointers = adaptor.getPtr(), compares = adaptor.getCompare(), values = adaptor.getValue();
    auto emit = [&](ArrayRef<int32_t> group, Value pred, MutableArrayRef<Value> results) {
      int32_t reg = group.front();
      results[reg] = lane::AtomicCasOp::create(rewriter, op.getLoc(), values[reg].getType(), pointers[reg],
                                               compares[reg], values[reg], pred, op.getSem(), op.getScope());
    };
    rewriter.replaceOpWithMultiple(op, {atomic.run({}, op.getSem(), emit)});
    return success();
  }
};

} // namespace

void populateAtomicPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<AtomicRmwLowering, AtomicCasLowering>(lowering);
}

} // namespace hocket
