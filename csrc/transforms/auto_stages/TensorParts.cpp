//===- TensorParts.cpp - Divides tensors in registers, and joins the parts ----------===//
#include "transforms/auto_stages/TensorParts.h"

#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket {

bool canDivide(RankedTensorType type, DimParts divided) {
  auto [divide, parts] = divided;
  if (type.getShape()[divide] % parts != 0 || type.getShape()[divide] == parts)
    return false;
  const LinearLayout layout = hk::toLinearLayout(type);
  for (int64_t size = type.getShape()[divide] / 2; parts > 1; parts /= 2, size /= 2) {
    auto isOfSize = [&, divide = divide](unsigned bit) {
      for (unsigned dim = 0; dim < unsigned(type.getRank()); ++dim)
        if (layout.getBasis(Dim::Register, bit, tensorDim(dim)) != (dim == divide ? size : 0))
          return false;
      return true;
    };
    if (llvm::none_of(llvm::seq(layout.getInDimSizeLog2(Dim::Register)), isOfSize))
      return false;
  }
  return true;
}

/// Returns the order of dimensions that moves dimension `dim` of `rank` dimensions to the end.
static SmallVector<int32_t> orderWithLast(unsigned rank, unsigned dim) {
  SmallVector<int32_t> order;
  for (unsigned other = 0; other < rank; ++other)
    if (other != dim)
      order.push_back(int32_t(other));
  order.push_back(int32_t(dim));
  return order;
}

static RankedTensorType tensorTypeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value convertTo(OpBuilder &builder, Value value, Attribute encoding) {
  if (tensorTypeOf(value).getEncoding() == encoding)
    return value;
  return hk::ConvertLayoutOp::create(builder, value.getLoc(), tensorTypeOf(value).cloneWithEncoding(encoding), value);
}

/// Returns the two halves of `value` along dimension `dim`. The shape [..., N, ...] becomes [..., 2, N / 2, ...], and the
/// dimension of size 2 becomes the last dimension.
static std::pair<Value, Value> halve(OpBuilder &builder, Value value, unsigned dim) {
  RankedTensorType type = tensorTypeOf(value);
  auto clone = [&](ArrayRef<int64_t> shape, FailureOr<Attribute> layout) {
    return RankedTensorType::get(shape, type.getElementType(), *layout);
  };
  SmallVector<int64_t> pairs(type.getShape()), permuted, half(type.getShape());
  pairs[dim] /= 2;
  half[dim] /= 2;
  pairs.insert(pairs.begin() + dim, 2);
  const SmallVector<int32_t> order = orderWithLast(unsigned(pairs.size()), dim);
  for (int32_t each : order)
    permuted.push_back(pairs[size_t(each)]);
  Location loc = value.getLoc();
  RankedTensorType pairsType = clone(pairs, hk::inferReshape(type.getEncoding(), type.getShape(), pairs));
  Value split = hk::ReshapeOp::create(builder, loc, pairsType, value);
  RankedTensorType permutedType = clone(permuted, hk::inferPermute(pairsType.getEncoding(), pairs, order));
  split = hk::PermuteOp::create(builder, loc, permutedType, split, order);
  RankedTensorType halfType = clone(half, hk::inferSplit(permutedType.getEncoding(), permuted));
  auto halves = hk::SplitOp::create(builder, loc, halfType, halfType, split);
  return {halves.getLhs(), halves.getRhs()};
}

/// Inverse of halve.
static Value joinHalves(OpBuilder &builder, Value lhs, Value rhs, unsigned dim) {
  RankedTensorType type = tensorTypeOf(lhs);
  auto clone = [&](ArrayRef<int64_t> shape, FailureOr<Attribute> layout) {
    return RankedTensorType::get(shape, type.getElementType(), *layout);
  };
  SmallVector<int64_t> pairs(type.getShape()), permuted(type.getShape()), whole(type.getShape());
  pairs.push_back(2);
  permuted.insert(permuted.begin() + dim, 2);
  whole[dim] *= 2;
  const SmallVector<int32_t> order =
      llvm::to_vector(llvm::map_range(llvm::seq<unsigned>(0, unsigned(pairs.size())), [&](unsigned position) {
        const auto last = int32_t(type.getRank());
        return position < dim ? int32_t(position) : position == dim ? last : int32_t(position) - 1;
      }));
  Location loc = lhs.getLoc();
  RankedTensorType pairsType = clone(pairs, hk::inferJoin(type.getEncoding(), type.getShape()));
  Value joined = hk::JoinOp::create(builder, loc, pairsType, lhs, rhs);
  RankedTensorType permutedType = clone(permuted, hk::inferPermute(pairsType.getEncoding(), pairs, order));
  joined = hk::PermuteOp::create(builder, loc, permutedType, joined, order);
  RankedTensorType wholeType = clone(whole, hk::inferReshape(permutedType.getEncoding(), permuted, whole));
  return hk::ReshapeOp::create(builder, loc, wholeType, joined);
}

SmallVector<Value> divideTensor(OpBuilder &builder, Value value, ArrayRef<DimParts> dims) {
  SmallVector<Value> found{value};
  for (auto [dim, parts] : dims)
    for (; parts > 1; parts /= 2) {
      SmallVector<Value> halves;
      for (Value part : found) {
        auto [lhs, rhs] = halve(builder, part, dim);
        halves.append({lhs, rhs});
      }
      found = halves;
    }
  // The layouts of the parts have the same maps before and after the conversions, so the conversions move no data.
  for (Value &part : found)
    part = convertTo(builder, part, tensorTypeOf(value).getEncoding());
  return found;
}

Value joinTensor(OpBuilder &builder, ArrayRef<Value> parts, ArrayRef<DimParts> dims) {
  SmallVector<Value> found(parts);
  for (DimParts divided : llvm::reverse(dims))
    for (unsigned count = divided.parts; count > 1; count /= 2) {
      SmallVector<Value> joined;
      for (unsigned part = 0; part < found.size(); part += 2)
        joined.push_back(joinHalves(builder, found[part], found[part + 1], divided.dim));
      found = joined;
    }
  return convertTo(builder, found.front(), tensorTypeOf(parts.front()).getEncoding());
}

} // namespace hocket
