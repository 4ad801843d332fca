//===- GlobalAccess.cpp - Groups registers into vectors of one global access --------===//
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"

#include "conversion/hk_to_lane/passes/ChooseAccesses.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

VectorAccess planGlobalAccess(const LoweringContext &lowering, Operation *op, Type type, int64_t maxWidth) {
  AccessShape shape = chosenAccess(op);
  LinearLayout layout = lowering.layoutOf(type);
  // The dimension with consecutive addresses becomes the innermost dimension of the offset.
  SmallVector<Dim> order = {tensorDim(shape.dim)};
  for (DimBits out : layout.getOutDims())
    if (out.dim != order.front())
      order.push_back(out.dim);
  LinearLayout toOffset =
      layout.transposeOuts(std::span<const Dim>(order.data(), order.size())).flattenOuts(Dim::Offset);
  // The last element of a row and the first element of the next row are not adjacent in memory.
  int64_t rowSize = layout.getOutDimSize(tensorDim(shape.dim));
  return planVectorAccess(toOffset, std::min({shape.width, rowSize, maxWidth}));
}

Type vectorType(Type element, size_t width) {
  return width == 1 ? element : VectorType::get(static_cast<int64_t>(width), element);
}

SmallVector<Value> pick(ValueRange registers, ArrayRef<int32_t> group) {
  return llvm::map_to_vector(group, [&](int32_t reg) -> Value { return registers[reg]; });
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

void unpackVector(OpBuilder &builder, Location loc, Value vector, ArrayRef<int32_t> group,
                  MutableArrayRef<Value> registers) {
  if (group.size() == 1) {
    registers[group.front()] = vector;
    return;
  }
  for (auto [index, reg] : llvm::enumerate(group)) {
    Value position = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), static_cast<int32_t>(index));
    registers[reg] = LLVM::ExtractElementOp::create(builder, loc, vector, position);
  }
}

Value conjunction(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder, loc, a, b);
}

} // namespace hocket
