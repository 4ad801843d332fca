//===- LayoutInference.cpp - Layouts of views and reductions ----------------------===//
//
// Results are expressed in the operand's class of layouts if possible (LayoutViews.cpp), otherwise as a linear map.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/Permutations.h"
#include "layout/SharedAlignment.h"
#include "llvm/Support/raw_ostream.h"

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

/// Applies `rule` to the layout of a tensor of `shape`. Undecided layouts are returned unchanged.
FailureOr<Attribute> infer(Attribute layout, ArrayRef<int64_t> shape, std::string *whyNot,
                           llvm::function_ref<Attribute(DistributedLayout)> rule) {
  if (isUndecided(layout))
    return layout;
  auto distributed = dyn_cast_or_null<DistributedLayout>(layout);
  if (!distributed)
    return because(whyNot, "the tensor has no distributed layout");
  if (distributed.getRank() != shape.size())
    return because(whyNot, "a tensor of shape ", toText(shape), " cannot have a layout of rank ",
                   distributed.getRank());
  return rule(distributed);
}

/// Returns, for each dimension, the number of bits that the bases of `in` set; nullopt if a basis does not set exactly
/// one bit. Updates `lowest`, the lowest bit that any basis sets in each dimension.
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

/// Returns the shared memory layout without padding whose linear map is `layout`; null for a tile of one element, whose
/// map has no rows.
Attribute sharedLinearAttrOf(MLIRContext *context, const LinearLayout &layout) {
  BasisRows block = layout.hasInDim(Dim::Block) ? layout.getBasisRows(Dim::Block) : BasisRows();
  if (layout.getTotalInBits() == 0)
    return {};
  return SharedLinearAttr::get(context, layout.getBasisRows(Dim::Offset), block, kSharedAlignment);
}

/// True if the first `count` bases of `in` advance through the dimensions in `order`, as the bases of a Blocked layout
/// do.
bool followsOrder(const LinearLayout &layout, Dim in, unsigned count, ArrayRef<int64_t> order) {
  size_t place = 0;
  for (unsigned bit = 0; bit < count; ++bit)
    while (layout.getBasis(in, bit, tensorDim(order[place])) == 0)
      if (++place == order.size())
        return false;
  return true;
}

/// Returns the Blocked layout whose linear map is `layout`; null if there is none, or if several lanes or warps hold
/// the same element. The function derives the sizes from the bases, and then tries all orders of the dimensions.
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

  // In each dimension, the register bits below the lowest lane or warp bit belong to a lane's box. In a dimension
  // without lane and warp bits, a register bit may belong to the box or to the repetition of the layout over a larger
  // tensor.
  BlockedAttr found;
  for (bool boxIsWhole : {true, false}) {
    SmallVector<int64_t> box;
    for (auto [size, low] : llvm::zip_equal(shape, lowest))
      box.push_back(low < 63 ? int64_t(1) << low : boxIsWhole ? size : 1);
    unsigned boxBits = 0;
    for (int64_t size : box)
      boxBits += llvm::Log2_64(size);
    if (boxBits > layout.getInDimSizeLog2(Dim::Register))
      continue;
    forEachOrder(shape.size(), [&](ArrayRef<int64_t> order) {
      // The order of registers, lanes and warps is checked first, because building the linear layout takes longer than
      // all checks.
      if (!followsOrder(layout, Dim::Register, boxBits, order) ||
          !followsOrder(layout, Dim::Lane, layout.getInDimSizeLog2(Dim::Lane), order) ||
          !followsOrder(layout, Dim::Warp, layout.getInDimSizeLog2(Dim::Warp), order))
        return false;
      auto candidate = BlockedAttr::get(context, box, threads, warps, order, {});
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

/// Verifies the conditions on the result of a reshape that do not depend on its layout.
LogicalResult checkReshapedType(MemDescType type, ArrayRef<int64_t> resultShape, std::string *whyNot) {
  if (type.getShape() != type.getAllocShape())
    return because(whyNot, "the descriptor refers to a part of its buffer, whose elements are not contiguous");
  unsigned slotRank = type.getSlotRank();
  if (resultShape.size() <= slotRank || resultShape.take_front(slotRank) != type.getShape().take_front(slotRank))
    return because(whyNot, "the first ", slotRank, " dimensions count the buffers of a ring and must stay as they are");
  ArrayRef<int64_t> tile = resultShape.drop_front(slotRank);
  if (ShapedType::getNumElements(tile) != ShapedType::getNumElements(type.getTileShape()))
    return because(whyNot, "shapes ", toText(type.getShape()), " and ", toText(resultShape),
                   " have different numbers of elements");
  if (tile.size() > kMaxTensorRank || !llvm::all_of(tile, [](int64_t size) { return llvm::isPowerOf2_64(size); }))
    return because(whyNot, "a tile has 1 to ", kMaxTensorRank, " dimensions, which are powers of two, not ",
                   toText(tile));
  return success();
}

} // namespace

// Shapes --------------------------------------------------------------------------------------------------------------

SmallVector<int64_t> expandedShape(ArrayRef<int64_t> shape, unsigned axis) {
  SmallVector<int64_t> result = llvm::to_vector(shape);
  result.insert(result.begin() + axis, 1);
  return result;
}

SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, unsigned axis) {
  SmallVector<int64_t> result = llvm::to_vector(shape);
  result.erase(result.begin() + axis);
  return result;
}

bool canBroadcast(ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape) {
  auto fits = [](auto sizes) { return std::get<0>(sizes) == std::get<1>(sizes) || std::get<0>(sizes) == 1; };
  return shape.size() == resultShape.size() && llvm::all_of(llvm::zip_equal(shape, resultShape), fits);
}

// Tensors -------------------------------------------------------------------------------------------------------------

FailureOr<Attribute> inferExpandDims(Attribute layout, ArrayRef<int64_t> shape, unsigned axis, std::string *whyNot) {
  if (axis > shape.size())
    return because(whyNot, "axis ", axis, " is out of range for a tensor of rank ", shape.size());
  if (shape.size() == kMaxTensorRank)
    return because(whyNot, "a tensor has at most ", kMaxTensorRank, " dimensions");
  return infer(layout, shape, whyNot, [&](DistributedLayout operand) -> Attribute {
    if (Attribute own = operand.tryExpandDims(shape, axis))
      return own;
    return linearAttrOf(layout.getContext(),
                        reshapeRowMajor(operand.toLinearLayout(shape), expandedShape(shape, axis)));
  });
}

FailureOr<Attribute> inferReduce(Attribute layout, ArrayRef<int64_t> shape, unsigned axis, std::string *whyNot) {
  if (axis >= shape.size())
    return because(whyNot, "axis ", axis, " is out of range for a tensor of rank ", shape.size());
  if (shape.size() == 1)
    return because(whyNot, "a tensor of rank 1 reduces to a scalar, which has no layout");
  return infer(layout, shape, whyNot,
               [&](DistributedLayout) -> Attribute { return SliceAttr::get(layout.getContext(), axis, layout); });
}

FailureOr<Attribute> inferReshape(Attribute layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape,
                                  std::string *whyNot) {
  if (ShapedType::getNumElements(shape) != ShapedType::getNumElements(resultShape))
    return because(whyNot, "shapes ", toText(shape), " and ", toText(resultShape),
                   " have different numbers of elements");
  if (resultShape.empty() || resultShape.size() > kMaxTensorRank)
    return because(whyNot, "a tensor has 1 to ", kMaxTensorRank, " dimensions, not ", resultShape.size());
  return infer(layout, shape, whyNot, [&](DistributedLayout operand) -> Attribute {
    if (shape == resultShape)
      return layout;
    return asBlockedOrLinear(layout.getContext(), reshapeRowMajor(operand.toLinearLayout(shape), resultShape),
                             resultShape);
  });
}

FailureOr<Attribute> inferPermute(Attribute layout, ArrayRef<int64_t> shape, ArrayRef<int32_t> order,
                                  std::string *whyNot) {
  if (!isPermutationOf(order, shape.size()))
    return because(whyNot, "the order must name each of the ", shape.size(), " dimensions once");
  return infer(layout, shape, whyNot, [&](DistributedLayout operand) -> Attribute {
    if (Attribute own = operand.tryPermute(shape, order))
      return own;
    return linearAttrOf(layout.getContext(), permuteDims(operand.toLinearLayout(shape), order));
  });
}

/// Returns `layout` with a new last dimension of size 2 in the lowest register bit.
static LinearLayout joinedMap(const LinearLayout &layout, unsigned rank) {
  return LinearLayout::identity1D(2, Dim::Register, tensorDim(rank)) * layout;
}

/// Returns the Blocked layout of the result of joining two tensors in `blocked` along a new last dimension; null if
/// `blocked` is null.
static Attribute blockedOfPairs(BlockedAttr blocked) {
  if (!blocked)
    return {};
  auto with = [](ArrayRef<int64_t> sizes, int64_t last) {
    SmallVector<int64_t> result(sizes);
    result.push_back(last);
    return result;
  };
  SmallVector<int64_t> order = {int64_t(blocked.getOrder().size())};
  llvm::append_range(order, blocked.getOrder());
  BasisRows block = blocked.getBlock();
  for (std::vector<int32_t> &row : block)
    row.push_back(0);
  return BlockedAttr::get(blocked.getContext(), with(blocked.getSizePerThread(), 2),
                          with(blocked.getThreadsPerWarp(), 1), with(blocked.getWarpsPerCta(), 1), order, block);
}

/// Returns the Blocked layout of each half of a tensor in `blocked` that is split along its last dimension; null if
/// `blocked` is null.
static Attribute blockedOfHalves(BlockedAttr blocked) {
  if (!blocked)
    return {};
  SmallVector<int64_t> order;
  for (int64_t dim : blocked.getOrder())
    if (dim != int64_t(blocked.getOrder().size()) - 1)
      order.push_back(dim);
  BasisRows block = blocked.getBlock();
  for (std::vector<int32_t> &row : block)
    row.pop_back();
  return BlockedAttr::get(blocked.getContext(), blocked.getSizePerThread().drop_back(),
                          blocked.getThreadsPerWarp().drop_back(), blocked.getWarpsPerCta().drop_back(), order, block);
}

/// Returns `candidate` if its linear map is `map`. Otherwise returns another layout attribute with this map.
static Attribute withMap(MLIRContext *context, Attribute candidate, const LinearLayout &map, ArrayRef<int64_t> shape) {
  if (candidate && cast<DistributedLayout>(candidate).toLinearLayout(shape) == map)
    return candidate;
  return asBlockedOrLinear(context, map, shape);
}

FailureOr<Attribute> inferJoin(Attribute layout, ArrayRef<int64_t> shape, std::string *whyNot) {
  if (shape.size() == kMaxTensorRank)
    return because(whyNot, "a tensor has at most ", kMaxTensorRank, " dimensions");
  return infer(layout, shape, whyNot, [&](DistributedLayout operand) -> Attribute {
    unsigned rank = shape.size();
    SmallVector<int64_t> joined = llvm::to_vector(shape);
    joined.push_back(2);
    SmallVector<Dim> dims;
    for (unsigned dim = 0; dim <= rank; ++dim)
      dims.push_back(tensorDim(dim));
    LinearLayout map = joinedMap(operand.toLinearLayout(shape), rank).transposeOuts(dims);
    return withMap(layout.getContext(), blockedOfPairs(dyn_cast<BlockedAttr>(layout)), map, joined);
  });
}

/// Returns the register bit that alone determines the coordinate in dimension `last`. Returns nullopt if there is no
/// such bit, or if the bit also affects other dimensions.
static std::optional<unsigned> findPairBit(const LinearLayout &layout, unsigned last) {
  std::optional<unsigned> found;
  for (DimBits in : layout.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      Coords basis = layout.getBasis(in.dim, bit);
      if (!basis[tensorDim(last)])
        continue;
      bool isAlone = llvm::all_of(llvm::seq(last), [&](unsigned dim) { return !basis[tensorDim(dim)]; });
      if (found || in.dim != Dim::Register || !isAlone)
        return std::nullopt;
      found = bit;
    }
  return found;
}

FailureOr<Attribute> inferSplit(Attribute layout, ArrayRef<int64_t> shape, std::string *whyNot) {
  if (shape.size() < 2 || shape.back() != 2)
    return because(whyNot, "needs at least two dimensions, the last of size 2, not ", toText(shape));
  unsigned last = shape.size() - 1;
  auto inferred = infer(layout, shape, whyNot, [&](DistributedLayout operand) -> Attribute {
    LinearLayout map = operand.toLinearLayout(shape);
    std::optional<unsigned> pairBit = findPairBit(map, last);
    if (!pairBit)
      return {};
    SmallVector<DimBits> ins(map.getInDims().begin(), map.getInDims().end()), outs;
    for (DimBits &in : ins)
      in.bits -= in.dim == Dim::Register;
    for (unsigned dim = 0; dim < last; ++dim)
      outs.push_back({tensorDim(dim), uint8_t(map.getOutDimSizeLog2(tensorDim(dim)))});
    LinearLayout half = LinearLayout::zeros(ins, outs);
    for (DimBits in : map.getInDims())
      for (unsigned bit = 0; bit < in.bits; ++bit) {
        bool isRegister = in.dim == Dim::Register;
        if (isRegister && bit == *pairBit)
          continue;
        SmallVector<DimIndex> basis;
        for (DimBits out : outs)
          basis.push_back({out.dim, map.getBasis(in.dim, bit, out.dim)});
        half.setBasis(in.dim, bit - (isRegister && bit > *pairBit), basis);
      }
    Attribute slice = SliceAttr::get(layout.getContext(), last, layout);
    if (cast<DistributedLayout>(slice).toLinearLayout(shape.drop_back()) == half)
      return slice;
    return withMap(layout.getContext(), blockedOfHalves(dyn_cast<BlockedAttr>(layout)), half, shape.drop_back());
  });
  if (succeeded(inferred) && !*inferred)
    return because(whyNot, "the two elements of a pair must be in registers of one lane");
  return inferred;
}

Attribute inferBroadcast(Attribute layout) { return layout; }

Type inferReducedType(RankedTensorType type, unsigned axis) {
  if (type.getRank() == 1)
    return type.getElementType();
  auto layout = inferReduce(type.getEncoding(), type.getShape(), axis);
  assert(succeeded(layout) && "every layout has a slice along every axis");
  return RankedTensorType::get(reducedShape(type.getShape(), axis), type.getElementType(), *layout);
}

bool hasReshapedLayout(RankedTensorType src, RankedTensorType result) {
  if (isUndecided(src.getEncoding()) || isUndecided(result.getEncoding()))
    return true;
  return reshapeRowMajor(toLinearLayout(src), result.getShape()) == toLinearLayout(result);
}

// Memory descriptors --------------------------------------------------------------------------------------------------

FailureOr<MemDescType> inferMemDescIndex(MemDescType type, std::string *whyNot) {
  if (type.getSlotRank() == 0)
    return because(whyNot, "its layout includes all dimensions; a ring of buffers has one more than its layout");
  return MemDescType::get(type.getShape().drop_front(), type.getElementType(), type.getLayout(),
                          type.getAllocShape().drop_front(), type.getSpace());
}

FailureOr<MemDescType> inferMemDescPermute(MemDescType type, ArrayRef<int32_t> order, std::string *whyNot) {
  if (!isPermutationOf(order, type.getShape().size()))
    return because(whyNot, "the order must name each of the ", type.getShape().size(), " dimensions once");
  int32_t slotRank = type.getSlotRank();
  for (int32_t dim = 0; dim < slotRank; ++dim)
    if (order[dim] != dim)
      return because(whyNot, "dimension ", dim, " numbers the buffers of a ring and must keep its position");
  SmallVector<int32_t> tileOrder;
  for (int32_t source : order.drop_front(slotRank))
    tileOrder.push_back(source - slotRank);
  auto shared = cast<SharedLayout>(type.getLayout());
  Attribute layout = shared.tryPermute(tileOrder);
  if (!layout && shared.getPaddings().empty())
    layout = sharedLinearAttrOf(type.getContext(), permuteDims(toLinearLayout(type), tileOrder));
  if (!layout)
    return because(whyNot, "layouts of its class cannot be permuted");
  return MemDescType::get(permuted(type.getShape(), order), type.getElementType(), layout,
                          permuted(type.getAllocShape(), order), type.getSpace());
}

FailureOr<MemDescType> inferMemDescReshape(MemDescType type, ArrayRef<int64_t> resultShape, std::string *whyNot) {
  if (failed(checkReshapedType(type, resultShape, whyNot)))
    return failure();
  ArrayRef<int64_t> tile = resultShape.drop_front(type.getSlotRank());
  auto shared = cast<SharedLayout>(type.getLayout());
  Attribute layout = shared.tryReshape(type.getTileShape(), tile);
  if (!layout && shared.getPaddings().empty())
    layout = sharedLinearAttrOf(type.getContext(), reshapeRowMajor(toLinearLayout(type), tile));
  if (!layout && type.getShape() == type.getAllocShape() &&
      shared.toLinearLayout(type.getTileShape()).getInDimSizeLog2(Dim::Block))
    return because(whyNot, "its layout has padding, and in a tile of shape ", toText(tile),
                   " the CTAs of the cluster would hold parts that are not boxes, which such a layout cannot express");
  if (!layout)
    return because(whyNot, "no layout of its class keeps the offsets of elements in a tile of shape ", toText(tile));
  return MemDescType::get(resultShape, type.getElementType(), layout, resultShape, type.getSpace());
}

bool hasReshapedLayout(MemDescType src, MemDescType result) {
  auto before = cast<SharedLayout>(src.getLayout()), after = cast<SharedLayout>(result.getLayout());
  return before.getPaddings() == after.getPaddings() &&
         reshapeRowMajor(toLinearLayout(src), result.getTileShape()) == toLinearLayout(result);
}

} // namespace hocket::hk
