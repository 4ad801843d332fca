//===- SplitClusterReductions.cpp - Reductions over what several blocks hold --------===//
//
// Input:   hk with decided layouts.
// Output:  the same; no hk.reduce combines elements of different blocks of a cluster.
// Method:  the axis is cut into the part that a block holds and the number of the part. Each block reduces its part;
//          what comes out travels between the blocks as a conversion of layout, after which each has all of it:
//
//     hk.reduce %x axis = 0 : tensor<256xf32>      2 blocks hold 128 elements each
//
//     %y = hk.reshape %x : tensor<2x128xf32>       no work
//     %z = hk.reduce %y axis = 1 : tensor<2xf32>   within blocks
//     %w = hk.convert_layout %z                    to all blocks
//     hk.reduce %w axis = 0                        in registers
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/LayoutInference.h"
#include "dialect/hk/Layouts.h"
#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk/TilePlans.h"
#include "plans/ClusterMovesPlan.h"
#include "transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_SPLITCLUSTERREDUCTIONS
#include "transforms/Passes.h.inc"

/// Whether blocks hold different elements along `axis`.
static bool isDealtToBlocks(const LinearLayout &layout, unsigned axis) {
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(Dim::Block); ++bit)
    if (layout.getBasis(Dim::Block, bit, tensorDim(axis)))
      return true;
  return false;
}

/// `type`, in a layout of which every block holds all of `axis`, in registers.
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

static LogicalResult split(hk::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
  unsigned axis = op.getAxis();
  LinearLayout layout = hk::toLinearLayout(type);
  if (!isDealtToBlocks(layout, axis))
    return success();
  std::optional<LinearLayout> part = withinBlock(layout);
  if (!part)
    return op.emitError("a reduction between blocks of a cluster needs a layout whose blocks hold boxes of the tile");
  SmallVector<int64_t> shape(type.getShape());
  int64_t held = part->getOutDimSize(tensorDim(axis));
  shape[axis] /= held;
  shape.insert(shape.begin() + axis + 1, held);

  OpBuilder builder(op);
  SmallVector<Value> parts;
  for (Value src : op.getSrcs()) {
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
