//===- AxisParts.cpp - Reductions in two steps: within the parts of an axis, then over the parts -===//
#include "transforms/AxisParts.h"

#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

std::optional<int64_t> axisBitsOf(const LinearLayout &layout, Dim holder, unsigned axis) {
  int64_t bits = 0;
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(holder); ++bit) {
    int64_t basis = layout.getBasis(holder, bit, tensorDim(axis));
    if (basis && !llvm::isPowerOf2_64(basis))
      return std::nullopt;
    bits |= basis;
  }
  return bits;
}

/// Returns a view of `value` in another shape with permuted dimensions; null if there is no layout for the view.
static Value viewedAs(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape, ArrayRef<int32_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  auto layout = hk::inferReshape(type.getEncoding(), type.getShape(), shape);
  if (failed(layout))
    return {};
  auto viewed = RankedTensorType::get(shape, type.getElementType(), *layout);
  value = hk::ReshapeOp::create(builder, loc, viewed, value);
  if (order.empty())
    return value;
  auto permuted = hk::inferPermute(*layout, shape, order);
  if (failed(permuted))
    return {};
  SmallVector<int64_t> permutedShape = llvm::map_to_vector(order, [&](int32_t dim) { return shape[dim]; });
  auto result = RankedTensorType::get(permutedShape, type.getElementType(), *permuted);
  return hk::PermuteOp::create(builder, loc, result, value, builder.getDenseI32ArrayAttr(order));
}

/// Returns a view of `value` in which bits [low, high) of the coordinates along `axis` become the highest bits.
static Value movedToTop(OpBuilder &builder, Location loc, Value value, unsigned axis, unsigned low, unsigned high) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  SmallVector<int64_t> cut(shape), whole(shape);
  cut[axis] = shape[axis] >> high;
  cut.insert(cut.begin() + axis + 1, {int64_t(1) << (high - low), int64_t(1) << low});
  SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(cut.size())));
  std::swap(order[axis], order[axis + 1]);
  Value moved = viewedAs(builder, loc, value, cut, order);
  return moved ? viewedAs(builder, loc, moved, whole, {}) : Value();
}

Value withBitsAtTop(OpBuilder &builder, Location loc, Value value, unsigned axis, uint64_t bits) {
  constexpr unsigned kDimensionsOfCut = 2;
  auto type = cast<RankedTensorType>(value.getType());
  uint64_t size = uint64_t(type.getShape()[axis]);
  // Each step moves the lowest run of consecutive set bits of `bits` to the top. The loop ends when all set bits are at
  // the top.
  while (value && (size - 1) >> llvm::countr_zero(bits) != bits >> llvm::countr_zero(bits)) {
    if (type.getRank() + kDimensionsOfCut > kMaxTensorRank)
      return {};
    unsigned low = llvm::countr_zero(bits), high = low + llvm::countr_one(bits >> low);
    value = movedToTop(builder, loc, value, axis, low, high);
    uint64_t above = bits >> high << low, run = (bits >> low & ((uint64_t(1) << (high - low)) - 1));
    bits = above | run << (llvm::Log2_64(size) - (high - low));
  }
  return value;
}

Value dividedIntoParts(OpBuilder &builder, Location loc, Value value, unsigned axis, int64_t held,
                       std::string &whyNot) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= held;
  shape.insert(shape.begin() + axis + 1, held);
  auto layout = hk::inferReshape(type.getEncoding(), type.getShape(), shape, &whyNot);
  if (failed(layout))
    return {};
  return hk::ReshapeOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType(), *layout), value);
}

RankedTensorType givenToAll(RankedTensorType type, unsigned axis, Dim holder) {
  hk::LinearAttr linear = hk::linearAttrOf(type.getContext(), hk::toLinearLayout(type));
  hk::BasisRows reg = linear.getReg(), warp = linear.getWarp(), block = linear.getBlock();
  for (std::vector<int32_t> &row : holder == Dim::Warp ? warp : block)
    if (row[axis]) {
      reg.push_back(row);
      row.assign(row.size(), 0);
    }
  auto all = hk::LinearAttr::get(type.getContext(), reg, linear.getLane(), warp, block, linear.getShape());
  return RankedTensorType::get(type.getShape(), type.getElementType(), all);
}

hk::ReduceOp reduceAs(hk::ReduceOp op, ValueRange srcs, unsigned axis, OpBuilder &builder) {
  SmallVector<Type> types;
  for (Value src : srcs)
    types.push_back(hk::inferReducedType(cast<RankedTensorType>(src.getType()), axis));
  auto reduced = hk::ReduceOp::create(builder, op.getLoc(), types, srcs, axis);
  IRMapping mapping;
  op.getCombine().cloneInto(&reduced.getCombine(), mapping);
  return reduced;
}

} // namespace hocket
