//===- SplitClusterReductions.cpp - Splits reductions across the blocks of a cluster -===//
//
// Input:   hk with decided layouts.
// Output:  hk in which no hk.reduce combines elements of different blocks of a cluster.
// Method:  each CTA reduces its part of the axis (AxisParts.h). A layout conversion then gives all partial results to
//          all CTAs, and each CTA reduces them. If the elements of one CTA are not contiguous along the axis, views
//          first reorder the elements: the coordinate bits in which CTAs differ become the highest bits. Views cost no
//          instructions.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "plans/ClusterMovesPlan.h"
#include "transforms/AxisParts.h"
#include "transforms/Passes.h"

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
    std::optional<int64_t> bits = axisBitsOf(layout, Dim::Block, axis);
    for (Value &src : srcs)
      src = bits ? withBitsAtTop(builder, op.getLoc(), src, axis, uint64_t(*bits)) : Value();
    if (llvm::all_of(srcs, [](Value src) { return bool(src); }))
      part = withinBlock(hk::toLinearLayout(cast<RankedTensorType>(srcs.front().getType())));
  }
  if (!part)
    return op.emitError(
        "a reduction between blocks of a cluster needs a layout in which the part of each block is a box of the tile");
  int64_t held = part->getOutDimSize(tensorDim(axis));
  SmallVector<Value> parts;
  for (Value src : srcs) {
    std::string whyNot;
    parts.push_back(dividedIntoParts(builder, op.getLoc(), src, axis, held, whyNot));
    if (!parts.back())
      return op.emitError("a reduction between blocks of a cluster: ") << whyNot;
  }
  SmallVector<Value> gathered;
  for (Value partial : reduceAs(op, parts, axis + 1, builder).getResults()) {
    RankedTensorType all = givenToAll(cast<RankedTensorType>(partial.getType()), axis, Dim::Block);
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
