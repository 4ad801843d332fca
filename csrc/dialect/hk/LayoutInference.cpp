//===- LayoutInference.cpp - Layouts of views -------------------------------------===//
//
// Structure first (Blocked, Slice), the linear map as the general case.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/LayoutInference.h"
#include "dialect/hk/Layouts.h"
#include "dialect/hk/TypeChecks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;

namespace hocket::hk {

namespace {

template <typename... Parts>
LogicalResult because(std::string *whyNot, Parts &&...parts) {
  if (whyNot) {
    whyNot->clear();
    llvm::raw_string_ostream os(*whyNot);
    (os << ... << parts);
  }
  return failure();
}

std::string toText(ArrayRef<int64_t> sizes) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(sizes, os);
  os << "]";
  return text;
}

/// A distributed layout whose rank is that of `shape`.
FailureOr<DistributedLayout> checkOperand(Attribute layout, ArrayRef<int64_t> shape, std::string *whyNot) {
  auto distributed = dyn_cast_or_null<DistributedLayout>(layout);
  if (!distributed)
    return because(whyNot, "the tensor has no distributed layout");
  if (distributed.getRank() != shape.size())
    return because(whyNot, "a tensor of shape ", toText(shape), " cannot have a layout of rank ",
                   distributed.getRank());
  return distributed;
}

/// Dimensions named in `dims` (an `order` parameter), after dimension order[i] is renamed to i.
SmallVector<int64_t> renamed(ArrayRef<int64_t> dims, ArrayRef<int32_t> order) {
  SmallVector<int64_t> newName(order.size());
  for (auto [dim, source] : llvm::enumerate(order))
    newName[source] = dim;
  return llvm::map_to_vector(dims, [&](int64_t dim) { return newName[dim]; });
}

SmallVector<int64_t> inserted(ArrayRef<int64_t> values, unsigned position, int64_t value) {
  SmallVector<int64_t> result = llvm::to_vector(values);
  result.insert(result.begin() + position, value);
  return result;
}

/// Calls `test` with every order of `rank` dimensions, row-major first, until it returns true.
void forEachOrder(unsigned rank, llvm::function_ref<bool(ArrayRef<int64_t>)> test) {
  SmallVector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  do {
    if (test(order))
      return;
  } while (std::prev_permutation(order.begin(), order.end()));
}

/// How many bits of each dimension the bases of `in` move, if each moves exactly one of them. `lowest` keeps the lowest
/// bit of each dimension that was met.
std::optional<SmallVector<int64_t>> countBitsPerDim(const LinearLayout &layout, Dim in,
                                                    MutableArrayRef<int64_t> lowest) {
  SmallVector<int64_t> bits(lowest.size(), 0);
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(in); ++bit) {
    std::optional<unsigned> moved;
    for (unsigned dim = 0; dim < bits.size(); ++dim) {
      int64_t coordinate = layout.getBasis(in, bit, tensorDim(dim));
      if (coordinate == 0)
        continue;
      if (moved || !llvm::isPowerOf2_64(coordinate))
        return std::nullopt;
      moved = dim;
      ++bits[dim];
      lowest[dim] = std::min<int64_t>(lowest[dim], llvm::Log2_64(coordinate));
    }
    if (!moved)
      return std::nullopt;
  }
  return bits;
}

/// The Blocked layout with this map, if there is one without copies. Reads the sizes off the bases, then tries orders.
BlockedAttr asBlocked(MLIRContext *context, const LinearLayout &layout, ArrayRef<int64_t> shape) {
  if (layout.getInDimSizeLog2(Dim::Block) != 0)
    return {};
  SmallVector<int64_t> lowest(shape.size(), 63);
  auto laneBits = countBitsPerDim(layout, Dim::Lane, lowest);
  auto warpBits = countBitsPerDim(layout, Dim::Warp, lowest);
  if (!laneBits || !warpBits)
    return {};
  auto toSize = [](int64_t bits) { return int64_t(1) << bits; };
  SmallVector<int64_t> threads = llvm::map_to_vector(*laneBits, toSize), warps = llvm::map_to_vector(*warpBits, toSize);

  // Registers below the first lane or warp are a lane's box. A dimension without lanes and warps may be box or
  // wrapping.
  BlockedAttr found;
  for (bool boxIsWhole : {true, false}) {
    SmallVector<int64_t> box;
    for (auto [size, low] : llvm::zip_equal(shape, lowest))
      box.push_back(low < 63 ? int64_t(1) << low : boxIsWhole ? size : 1);
    forEachOrder(shape.size(), [&](ArrayRef<int64_t> order) {
      auto candidate = BlockedAttr::get(context, box, threads, warps, order);
      if (candidate.toLinearLayout(shape) == layout)
        found = candidate;
      return found != nullptr;
    });
    if (found)
      break;
  }
  return found;
}

Attribute asBlockedOrLinear(MLIRContext *context, const LinearLayout &layout, ArrayRef<int64_t> shape) {
  if (BlockedAttr blocked = asBlocked(context, layout, shape))
    return blocked;
  return linearAttrOf(context, layout);
}

Attribute expandDims(DistributedLayout layout, ArrayRef<int64_t> shape, unsigned axis) {
  MLIRContext *context = layout.getContext();
  if (auto blocked = dyn_cast<BlockedAttr>(layout)) {
    SmallVector<int64_t> order;
    for (int64_t dim : blocked.getOrder())
      order.push_back(dim < axis ? dim : dim + 1);
    order.push_back(axis);
    return BlockedAttr::get(context, inserted(blocked.getSizePerThread(), axis, 1),
                            inserted(blocked.getThreadsPerWarp(), axis, 1), inserted(blocked.getWarpsPerCta(), axis, 1),
                            order);
  }
  if (auto slice = dyn_cast<SliceAttr>(layout)) {
    unsigned dim = slice.getDim();
    if (dim == axis)
      return slice.getParent();
    if (shape.size() + 2 <= kMaxTensorRank) {
      unsigned parentAxis = axis < dim ? axis : axis + 1;
      Attribute parent = expandDims(cast<DistributedLayout>(slice.getParent()), inserted(shape, dim, 1), parentAxis);
      return SliceAttr::get(context, parentAxis <= dim ? dim + 1 : dim, parent);
    }
  }
  return linearAttrOf(context, reshapeRowMajor(layout.toLinearLayout(shape), inserted(shape, axis, 1)));
}

Attribute permuteLayout(DistributedLayout layout, ArrayRef<int64_t> shape, ArrayRef<int32_t> order) {
  MLIRContext *context = layout.getContext();
  if (auto blocked = dyn_cast<BlockedAttr>(layout))
    return BlockedAttr::get(context, permuted(blocked.getSizePerThread(), order),
                            permuted(blocked.getThreadsPerWarp(), order), permuted(blocked.getWarpsPerCta(), order),
                            renamed(blocked.getOrder(), order));
  if (auto slice = dyn_cast<SliceAttr>(layout)) {
    // The parent's other dimensions move in the same way; the removed one stays where it is.
    int32_t dim = slice.getDim();
    SmallVector<int32_t> parentOrder;
    for (int32_t source : order)
      parentOrder.push_back(source < dim ? source : source + 1);
    parentOrder.insert(parentOrder.begin() + dim, dim);
    auto parent = cast<DistributedLayout>(slice.getParent());
    return SliceAttr::get(context, dim, permuteLayout(parent, inserted(shape, dim, 1), parentOrder));
  }
  return linearAttrOf(context, permuteDims(layout.toLinearLayout(shape), order));
}

} // namespace

FailureOr<Attribute> inferExpandDims(Attribute layout, ArrayRef<int64_t> shape, unsigned axis, std::string *whyNot) {
  FailureOr<DistributedLayout> operand = checkOperand(layout, shape, whyNot);
  if (failed(operand))
    return failure();
  if (axis > shape.size())
    return because(whyNot, "axis ", axis, " is out of range for a tensor of rank ", shape.size());
  if (shape.size() == kMaxTensorRank)
    return because(whyNot, "a tensor has at most ", kMaxTensorRank, " dimensions");
  return expandDims(*operand, shape, axis);
}

FailureOr<Attribute> inferReduce(Attribute layout, unsigned axis, std::string *whyNot) {
  auto operand = dyn_cast_or_null<DistributedLayout>(layout);
  if (!operand)
    return because(whyNot, "the tensor has no distributed layout");
  if (axis >= operand.getRank())
    return because(whyNot, "axis ", axis, " is out of range for a tensor of rank ", operand.getRank());
  if (operand.getRank() == 1)
    return because(whyNot, "a tensor of rank 1 reduces to a scalar, which has no layout");
  return Attribute(SliceAttr::get(layout.getContext(), axis, layout));
}

FailureOr<Attribute> inferReshape(Attribute layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape,
                                  std::string *whyNot) {
  FailureOr<DistributedLayout> operand = checkOperand(layout, shape, whyNot);
  if (failed(operand))
    return failure();
  if (ShapedType::getNumElements(shape) != ShapedType::getNumElements(resultShape))
    return because(whyNot, "shapes ", toText(shape), " and ", toText(resultShape),
                   " have different numbers of elements");
  if (resultShape.empty() || resultShape.size() > kMaxTensorRank)
    return because(whyNot, "a tensor has 1 to ", kMaxTensorRank, " dimensions, not ", resultShape.size());
  if (shape == resultShape)
    return layout;
  return asBlockedOrLinear(layout.getContext(), reshapeRowMajor(operand->toLinearLayout(shape), resultShape),
                           resultShape);
}

FailureOr<Attribute> inferPermute(Attribute layout, ArrayRef<int64_t> shape, ArrayRef<int32_t> order,
                                  std::string *whyNot) {
  FailureOr<DistributedLayout> operand = checkOperand(layout, shape, whyNot);
  if (failed(operand))
    return failure();
  if (!isPermutationOf(order, shape.size()))
    return because(whyNot, "the order must name each of the ", shape.size(), " dimensions once");
  return permuteLayout(*operand, shape, order);
}

FailureOr<Attribute> inferMemDescPermute(MemDescType type, ArrayRef<int32_t> order, std::string *whyNot) {
  if (!isPermutationOf(order, type.getShape().size()))
    return because(whyNot, "the order must name each of the ", type.getShape().size(), " dimensions once");
  int32_t slotRank = type.getSlotRank();
  for (int32_t dim = 0; dim < slotRank; ++dim)
    if (order[dim] != dim)
      return because(whyNot, "dimension ", dim, " counts the slots of a ring and must stay where it is");
  SmallVector<int32_t> tileOrder;
  for (int32_t source : order.drop_front(slotRank))
    tileOrder.push_back(source - slotRank);

  MLIRContext *context = type.getContext();
  if (auto swizzled = dyn_cast<SwizzledSharedAttr>(type.getLayout()))
    return Attribute(SwizzledSharedAttr::get(context, swizzled.getVec(), swizzled.getPerPhase(), swizzled.getMaxPhase(),
                                             renamed(swizzled.getOrder(), tileOrder)));
  auto padded = cast<PaddedSharedAttr>(type.getLayout());
  LinearLayout map = permuteDims(padded.toLinearLayout(padded.getShape()), tileOrder);
  return Attribute(PaddedSharedAttr::get(context, padded.getIntervals(), padded.getPaddingSizes(),
                                         map.getBasisRows(Dim::Offset), map.getBasisRows(Dim::Block),
                                         permuted(padded.getShape(), tileOrder)));
}

FailureOr<Attribute> inferMemDescReshape(MemDescType type, ArrayRef<int64_t> resultShape, std::string *whyNot) {
  if (type.getShape() != type.getAllocShape())
    return because(whyNot, "the descriptor shows only a part of its buffer, whose elements do not follow each other");
  unsigned slotRank = type.getSlotRank();
  if (resultShape.size() <= slotRank || resultShape.take_front(slotRank) != type.getShape().take_front(slotRank))
    return because(whyNot, "the first ", slotRank, " dimensions count the slots of a ring and must stay as they are");
  ArrayRef<int64_t> tile = resultShape.drop_front(slotRank);
  if (ShapedType::getNumElements(tile) != ShapedType::getNumElements(type.getTileShape()))
    return because(whyNot, "shapes ", toText(type.getShape()), " and ", toText(resultShape),
                   " have different numbers of elements");
  if (tile.size() > kMaxTensorRank || !llvm::all_of(tile, [](int64_t size) { return llvm::isPowerOf2_64(size); }))
    return because(whyNot, "a tile has 1 to ", kMaxTensorRank, " dimensions, which are powers of two, not ",
                   toText(tile));

  MLIRContext *context = type.getContext();
  LinearLayout map = reshapeRowMajor(toLinearLayout(type), tile);
  if (auto padded = dyn_cast<PaddedSharedAttr>(type.getLayout()))
    return Attribute(PaddedSharedAttr::get(context, padded.getIntervals(), padded.getPaddingSizes(),
                                           map.getBasisRows(Dim::Offset), map.getBasisRows(Dim::Block), tile));
  auto swizzled = cast<SwizzledSharedAttr>(type.getLayout());
  SwizzledSharedAttr found;
  forEachOrder(tile.size(), [&](ArrayRef<int64_t> order) {
    auto candidate =
        SwizzledSharedAttr::get(context, swizzled.getVec(), swizzled.getPerPhase(), swizzled.getMaxPhase(), order);
    if (candidate.toLinearLayout(tile) == map)
      found = candidate;
    return found != nullptr;
  });
  if (!found)
    return because(whyNot, "no swizzled layout of shape ", toText(tile),
                   " has this swizzle; reshape only dimensions that the swizzle does not use, or use a padded layout");
  return Attribute(found);
}

} // namespace hocket::hk
