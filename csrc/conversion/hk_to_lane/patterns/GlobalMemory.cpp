//===- GlobalMemory.cpp - Lowers hk.load and hk.store --------------------------------------===//
//
// The lowering emits one lane.load or lane.store per vector. A vector consists of registers of a lane that hold
// adjacent elements, up to 128 bits. The width of a vector is limited by the addresses and masks (AxisInfo, decided
// before the conversion) and by the elements that the layout assigns to a lane (GlobalAccess.h).
//
//   pointers p, p+1, ... p+7 of f32 in registers 0..7   ->   lane.load %p0 -> vector<4xf32>
//                                                            lane.load %p4 -> vector<4xf32>
//
// The predicate of a vector is the mask of its first element. An element that several registers of a lane hold is
// accessed once. An element that several lanes or warps hold is loaded by each of these lanes, and stored by the first
// of these lanes.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct LoadLowering : LoweringPattern<hk::LoadOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = elementType(op.getType());
    ValueRange pointers = adaptor.getPtr(), masks = adaptor.getMask(), others = adaptor.getOther();
    VectorAccess plan = planGlobalAccess(lowering, op, op.getType());
    IntegerAttr unusedCopies = lane::kUnusedCopiesAttr.getAttr(op);
    SmallVector<Value> results(pointers.size());
    for (const std::vector<int32_t> &group : plan.groups) {
      Type type = vectorType(element, group.size());
      Value mask = masks.empty() ? Value() : masks[group.front()];
      Value other = others.empty() ? Value() : packVector(rewriter, loc, type, pick(others, group));
      auto loaded = lane::LoadOp::create(rewriter, loc, type, pointers[group.front()], mask, other, op.getCache(),
                                         op.getPolicyAttr(), op.getIsVolatile());
      if (unusedCopies)
        lane::kUnusedCopiesAttr.setAttr(loaded, unusedCopies);
      unpackVector(rewriter, loc, loaded, group, results);
    }
    for (auto [reg, result] : llvm::enumerate(results))
      result = results[plan.representative[reg]];
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct StoreLowering : LoweringPattern<hk::StoreOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type tensorType = op.getValue().getType();
    Type element = elementType(tensorType);
    ValueRange pointers = adaptor.getPtr(), values = adaptor.getValue(), masks = adaptor.getMask();
    VectorAccess plan = planGlobalAccess(lowering, op, tensorType);
    Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, lowering.layoutOf(tensorType));
    for (const std::vector<int32_t> &group : plan.groups) {
      Value mask = conjunction(rewriter, loc, isFirst, masks.empty() ? Value() : masks[group.front()]);
      Value vector = packVector(rewriter, loc, vectorType(element, group.size()), pick(values, group));
      lane::StoreOp::create(rewriter, loc, pointers[group.front()], vector, mask, op.getCache(), op.getPolicyAttr());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateGlobalMemoryPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<LoadLowering, StoreLowering>(lowering);
}

} // namespace hocket
