//===- SplitClusterReductions.cpp - Splits reductions across the blocks of a cluster -===//
//
// Input:   hk with decided layouts.
// Output:  hk in which no hk.reduce combines elements of different blocks of a cluster.
// Method:  the axis is split into two dimensions: the elements of one CTA, and the index of the CTA. Each CTA reduces
//          its elements. A layout conversion then gives all CTAs all results, which each of them reduces:
//
//     hk.reduce %x axis = 0 : tensor<256xf32>      2 CTAs hold 128 elements each
//
//     %y = hk.reshape %x : tensor<2x128xf32>       no instructions
//     %z = hk.reduce %y axis = 1 : tensor<2xf32>   within each CTA
//     %w = hk.convert_layout %z                    to all CTAs
//     hk.reduce %w axis = 0                        in registers
//
//          If the elements of CTAs interleave along the axis, the elements of one CTA are not contiguous. Views, which
//          cost no instructions, then first reorder the elements, by moving the coordinate bits in which CTAs differ to
//          the top. The order of elements does not matter for a reduction.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "plans/ClusterMovesPlan.h"
#include "transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_SPLITCLUSTERREDUCTIONS
#include "transforms/Passes.h.inc"

/// True if the elements along `axis` are distributed among CTAs.
static bool isDealtToBlocks(const LinearLayout &layout, unsigned axis) {
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(Dim::Block); ++bit)
    if (layout.getBasis(Dim::Block, bit, tensorDim(axis)))
      return true;
  return false;
}

/// Returns `type` in a layout in which each lane holds all elements along `axis`, and all CTAs hold copies.
static RankedTensorType givenToAll(RankedTensorType type, unsigned axis) {
  LinearLayout layout = hk::toLinearLayout(type);
  hk::LinearAttr linear = hk::linearAttrOf(type.getContext(), layout);
  hk::BasisRows reg = linear.getReg(), block = linear.getBlock();
  for (std::vector<int32_t> &row : block)
    if (row[axis]) {
      reg.push_back(row);
      row.assign(row.size(), 0);
    }
  auto all = hk::LinearAttr::get(type.getContext(), reg, linear.getLane(), linear.getWarp(), block, linear.getShape());
  return RankedTensorType::get(type.getShape(), type.getElementType(), all);
}

static hk::ReduceOp reduceAs(hk::ReduceOp op, ValueRange srcs, unsigned axis, OpBuilder &builder) {
  SmallVector<Type> types;
  for (Value src : srcs)
    types.push_back(hk::inferReducedType(cast<RankedTensorType>(src.getType()), axis));
  auto reduced = hk::ReduceOp::create(builder, op.getLoc(), types, srcs, axis);
  IRMapping mapping;
  op.getCombine().cloneInto(&reduced.getCombine(), mapping);
  return reduced;
}

/// Returns the coordinate bits along `axis` that the number of the CTA determines, as a mask; nullopt if a bit of the
/// number does not correspond to a single coordinate bit.
static std::optional<int64_t> ctaBits(const LinearLayout &layout, unsigned axis) {
  int64_t bits = 0;
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(Dim::Block); ++bit) {
    int64_t basis = layout.getBasis(Dim::Block, bit, tensorDim(axis));
    if (basis && !llvm::isPowerOf2_64(basis))
      return std::nullopt;
    bits |= basis;
  }
  return bits;
}

/// Returns a view of `value` in another shape with permuted dimensions; null if no layout expresses it.
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

/// Reorders elements so that bits [low, high) of their coordinate along `axis` become the highest bits.
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

/// Returns a view of `value` in which the coordinate bits along `axis` that differ between CTAs are the highest ones;
/// null if views cannot express this order of bits.
static Value withPartsOfCtas(OpBuilder &builder, Location loc, Value value, unsigned axis) {
  constexpr unsigned kDimensionsOfCut = 2;
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<int64_t> found = ctaBits(hk::toLinearLayout(type), axis);
  if (!found || type.getRank() + kDimensionsOfCut > kMaxTensorRank)
    return {};
  uint64_t bits = uint64_t(*found), size = uint64_t(type.getShape()[axis]);
  // Each step moves the lowest run of consecutive set bits to the top. The loop ends when all set bits are at the top.
  while (value && (size - 1) >> llvm::countr_zero(bits) != bits >> llvm::countr_zero(bits)) {
    unsigned low = llvm::countr_zero(bits), high = low + llvm::countr_one(bits >> low);
    value = movedToTop(builder, loc, value, axis, low, high);
    uint64_t above = bits >> high << low, run = (bits >> low & ((uint64_t(1) << (high - low)) - 1));
    bits = above | run << (llvm::Log2_64(size) - (high - low));
  }
  return value;
}

static LogicalResult split(hk::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
  unsigned axis = op.getAxis();
  LinearLayout layout = hk::toLinearLayout(type);
  if (!isDealtToBlocks(layout, axis))
    return success();
  OpBuilder builder(op);
  SmallVector<Value> srcs(op.getSrcs());
  std::optional<LinearLayout> part = withinBlock(layout);
  if (!part) {
    for (Value &src : srcs)
      src = withPartsOfCtas(builder, op.getLoc(), src, axis);
    if (llvm::all_of(srcs, [](Value src) { return bool(src); }))
      part = withinBlock(hk::toLinearLayout(cast<RankedTensorType>(srcs.front().getType())));
  }
  if (!part)
    return op.emitError("a reduction between blocks of a cluster needs a layout whose blocks hold boxes of the tile");
  SmallVector<int64_t> shape(type.getShape());
  int64_t held = part->getOutDimSize(tensorDim(axis));
  shape[axis] /= held;
  shape.insert(shape.begin() + axis + 1, held);

  SmallVector<Value> parts;
  for (Value src : srcs) {
    auto srcType = cast<RankedTensorType>(src.getType());
    std::string whyNot;
    auto cut = hk::inferReshape(srcType.getEncoding(), srcType.getShape(), shape, &whyNot);
    if (failed(cut))
      return op.emitError("a reduction between blocks of a cluster: ") << whyNot;
    auto cutType = RankedTensorType::get(shape, srcType.getElementType(), *cut);
    parts.push_back(hk::ReshapeOp::create(builder, op.getLoc(), cutType, src));
  }
  SmallVector<Value> gathered;
  for (Value partial : reduceAs(op, parts, axis + 1, builder).getResults()) {
    RankedTensorType all = givenToAll(cast<RankedTensorType>(partial.getType()), axis);
    gathered.push_back(hk::ConvertLayoutOp::create(builder, op.getLoc(), all, partial));
  }
  hk::ReduceOp last = reduceAs(op, gathered, axis, builder);
  for (auto [before, after] : llvm::zip_equal(op.getResults(), last.getResults())) {
    Value result = after;
    if (isa<RankedTensorType>(result.getType()))
      result = hk::ConvertLayoutOp::create(builder, op.getLoc(), before.getType(), result);
    before.replaceAllUsesWith(result);
  }
  op.erase();
  return success();
}

namespace {
struct SplitClusterReductionsPass : impl::SplitClusterReductionsBase<SplitClusterReductionsPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    if (hk::numCtasOf(getOperation()) == 1)
      return markAllAnalysesPreserved();
    SmallVector<hk::ReduceOp> reductions;
    getOperation().walk([&](hk::ReduceOp op) { reductions.push_back(op); });
    for (hk::ReduceOp op : reductions)
      if (failed(split(op)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
