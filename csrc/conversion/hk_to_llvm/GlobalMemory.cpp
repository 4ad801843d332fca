//===- GlobalMemory.cpp - hk.load and hk.store ---------------------------------------------===//
//
// Output: one lane.load or lane.store per vector: registers of a lane that hold neighbouring elements, up to 128 bits.
// How wide a vector may be is what the addresses and masks allow (AxisInfo, decided before the conversion) and what the
// layout gives a lane (planVectorAccess).
//
//   pointers p, p+1, .. p+7 of f32 in registers 0..7    ->   lane.load %p0 -> vector<4xf32>
//                                                            lane.load %p4 -> vector<4xf32>
//
// The predicate of a vector is the mask of its first element. Elements that several registers hold are accessed once;
// elements that several lanes or warps hold are loaded by each, and stored by the first.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/Patterns.h"
#include "conversion/hk_to_llvm/RegisterIndices.h"
#include "dialect/hk/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "layout/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// Which registers each access moves.
VectorAccess planAccess(const LoweringContext &lowering, Operation *op, Type type) {
  AccessShape shape = lowering.accesses.lookup(op);
  LinearLayout layout = lowering.layoutOf(type);
  // The dimension along which addresses are consecutive becomes the fastest.
  SmallVector<Dim> order = {tensorDim(shape.dim)};
  for (DimBits out : layout.getOutDims())
    if (out.dim != order.front())
      order.push_back(out.dim);
  LinearLayout toOffset =
      layout.transposeOuts(std::span<const Dim>(order.data(), order.size())).flattenOuts(Dim::Offset);
  // Neighbours across the end of a row are not neighbours in memory.
  int64_t rowSize = layout.getOutDimSize(tensorDim(shape.dim));
  return planVectorAccess(toOffset, std::min<int64_t>(shape.width, rowSize));
}

Type vectorType(Type element, size_t width) {
  return width == 1 ? element : VectorType::get(static_cast<int64_t>(width), element);
}

Value packVector(OpBuilder &builder, Location loc, Type type, ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return elements.front();
  auto constant = elements.front().getDefiningOp<LLVM::ConstantOp>();
  if (constant && llvm::all_equal(elements))
    return LLVM::ConstantOp::create(builder, loc, type,
                                    DenseElementsAttr::get(cast<ShapedType>(type), constant.getValue()));
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [index, element] : llvm::enumerate(elements)) {
    Value position = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), static_cast<int32_t>(index));
    vector = LLVM::InsertElementOp::create(builder, loc, vector, element, position);
  }
  return vector;
}

SmallVector<Value> pick(ValueRange registers, ArrayRef<int32_t> which) {
  return llvm::map_to_vector(which, [&](int32_t reg) -> Value { return registers[reg]; });
}

struct LoadLowering : LoweringPattern<hk::LoadOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = elementType(op.getType());
    ValueRange pointers = adaptor.getPtr(), masks = adaptor.getMask(), others = adaptor.getOther();
    VectorAccess plan = planAccess(lowering, op, op.getType());
    SmallVector<Value> results(pointers.size());
    for (const std::vector<int32_t> &group : plan.groups) {
      Type type = vectorType(element, group.size());
      Value mask = masks.empty() ? Value() : masks[group.front()];
      Value other = others.empty() ? Value() : packVector(rewriter, loc, type, pick(others, group));
      Value loaded = lane::LoadOp::create(rewriter, loc, type, pointers[group.front()], mask, other, op.getCache(),
                                          op.getEviction(), op.getIsVolatile());
      if (group.size() == 1) {
        results[group.front()] = loaded;
        continue;
      }
      for (auto [index, reg] : llvm::enumerate(group)) {
        Value position = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), static_cast<int32_t>(index));
        results[reg] = LLVM::ExtractElementOp::create(rewriter, loc, loaded, position);
      }
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
    VectorAccess plan = planAccess(lowering, op, tensorType);
    Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, lowering.layoutOf(tensorType));
    for (const std::vector<int32_t> &group : plan.groups) {
      Value mask = isFirst;
      if (!masks.empty())
        mask = isFirst ? LLVM::AndOp::create(rewriter, loc, isFirst, masks[group.front()]).getResult()
                       : masks[group.front()];
      Value vector = packVector(rewriter, loc, vectorType(element, group.size()), pick(values, group));
      lane::StoreOp::create(rewriter, loc, pointers[group.front()], vector, mask, op.getCache(), op.getEviction());
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
