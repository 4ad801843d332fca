//===- PrepareScans.cpp - Converts scans to layouts in which scans can be lowered --------===//
//
// Input:   hk with decided layouts.
// Output:  hk; every hk.scan has a layout for which hk::planScan finds a plan, and no CTA of a cluster needs elements
//          of another CTA.
// Method:  operands of a scan without a plan are converted to a Blocked layout, and results are converted back. In the
//          Blocked layout, adjacent lanes along the axis hold up to four elements each. The remaining lanes and all
//          warps are distributed along the other dimensions, as far as the dimensions' sizes allow. If the axis was
//          distributed among CTAs, each CTA gets the whole axis.
// Cost:    the conversions move the tile through shared memory twice.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "layout/LayoutWarps.h"
#include "transforms/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_PREPARESCANS
#include "transforms/Passes.h.inc"

/// Maximum number of consecutive elements of a lane along the axis; 4 elements of f32 are a 128-bit access.
static constexpr int64_t kElementsInARow = 4;

/// Distributes `left` lanes or warps over the dimensions other than `axis`, the last dimension first. `room` is the
/// number of elements of each dimension that have not been distributed.
static void dealToOthers(MutableArrayRef<int64_t> factors, MutableArrayRef<int64_t> room, unsigned axis,
                         int64_t &left) {
  for (unsigned dim = factors.size(); dim-- > 0;) {
    if (dim == axis)
      continue;
    int64_t factor = std::min(left, room[dim]);
    factors[dim] *= factor;
    room[dim] /= factor;
    left /= factor;
  }
}

/// Returns the Blocked layout for a scan of a tensor of `type`. Dimensions other than the axis stay distributed among
/// CTAs.
static hk::BlockedAttr layoutForScan(RankedTensorType type, unsigned axis, int64_t numLanes, int64_t numWarps) {
  LinearLayout map = hk::toLinearLayout(type);
  hk::BasisRows block = map.hasInDim(Dim::Block) ? hk::BasisRows(map.getBasisRows(Dim::Block)) : hk::BasisRows();
  SmallVector<int64_t> room(type.getShape());
  for (std::vector<int32_t> &row : block) {
    row[axis] = 0;
    for (unsigned dim = 0; dim < room.size(); ++dim)
      if (row[dim])
        room[dim] /= 2;
  }
  unsigned rank = type.getRank();
  SmallVector<int64_t> sizes(rank, 1), lanes(rank, 1), warps(rank, 1), order = {int64_t(axis)};
  sizes[axis] = std::clamp<int64_t>(room[axis] / numLanes, 1, kElementsInARow);
  lanes[axis] = std::min(numLanes, room[axis] / sizes[axis]);
  int64_t lanesLeft = numLanes / lanes[axis], warpsLeft = numWarps;
  dealToOthers(lanes, room, axis, lanesLeft);
  dealToOthers(warps, room, axis, warpsLeft);
  // Lanes and warps that remain after all elements along the other dimensions have been distributed hold further
  // elements along the axis, or copies.
  lanes[axis] *= lanesLeft;
  warps[axis] *= warpsLeft;
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != axis)
      order.push_back(dim);
  return hk::BlockedAttr::get(type.getContext(), sizes, lanes, warps, order, block);
}

/// Converts a scan without a plan; returns true if the scan was changed.
static bool prepare(hk::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
  if (hk::planScan(type, op.getAxis(), op.getReverse()))
    return false;
  auto layout = layoutForScan(type, op.getAxis(), hk::targetOf(op).warpSize, layoutWarps(hk::numWarpsAt(op)));
  OpBuilder builder(op);
  auto converted = [&](Value value, Attribute to) -> Value {
    auto from = cast<RankedTensorType>(value.getType());
    auto result = RankedTensorType::get(from.getShape(), from.getElementType(), to);
    return hk::ConvertLayoutOp::create(builder, op.getLoc(), result, value);
  };
  for (OpOperand &src : op->getOpOperands())
    src.set(converted(src.get(), layout));
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    result.setType(op->getOperand(result.getResultNumber()).getType());
    Value back = converted(result, type.getEncoding());
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
  return true;
}

namespace {
struct PrepareScansPass : impl::PrepareScansBase<PrepareScansPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    bool isChanged = false;
    getOperation().walk([&](hk::ScanOp op) { isChanged |= prepare(op); });
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
