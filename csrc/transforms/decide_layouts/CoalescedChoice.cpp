//===- CoalescedChoice.cpp - Chooses a coalesced layout for tensors without a required layout ---===//
//
// The CTAs of a cluster divide the slowest dimension. The part of each CTA is divided among the lanes of a warp, then
// among the warps, beginning with the dimension with contiguous addresses.
//
//===------------------------------------------------------------------------------===//
#include "transforms/decide_layouts/CoalescedChoice.h"

#include "dialect/hk/facts/ModuleFacts.h"

using namespace mlir;

namespace hocket {

namespace {

/// The part of the tile, per dimension, that has not been divided among lanes, warps or CTAs so far.
class Filling {
public:
  Filling(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) : left(shape), order(order) {}

  /// Distributes `count` lanes or warps over the dimensions, in order. If `count` exceeds the number of remaining
  /// elements, the surplus lanes or warps are placed along the last dimension and hold copies.
  SmallVector<int64_t> deal(int64_t count) {
    SmallVector<int64_t> dealt(left.size(), 1);
    for (int64_t dim : order) {
      dealt[dim] = take(dim, count);
      count /= dealt[dim];
    }
    dealt[order.back()] *= count;
    return dealt;
  }

  /// Divides the remaining elements of dimension `dim` into at most `count` parts; returns the number of parts.
  int64_t take(int64_t dim, int64_t count) {
    int64_t taken = std::min(left[dim], count);
    left[dim] /= taken;
    return taken;
  }

private:
  SmallVector<int64_t> left;
  ArrayRef<int64_t> order;
};

} // namespace

/// Returns the number of elements of a tile per lane if no element is replicated.
static int64_t elementsPerLane(Operation *op, ArrayRef<int64_t> shape) {
  int64_t lanes = int64_t(hk::targetOf(op).warpSize) * hk::numWarpsAt(op) * hk::numCtasOf(op);
  return std::max<int64_t>(ShapedType::getNumElements(shape) / lanes, 1);
}

static hk::BlockedAttr blockedIn(Operation *op, ArrayRef<int64_t> shape, ArrayRef<int64_t> order, int64_t width) {
  Filling filling(shape, order);
  // The bases of the CTAs of a cluster, which divide the slowest dimension.
  hk::BasisRows blocks;
  int64_t slowest = order.back(), parts = filling.take(slowest, hk::numCtasOf(op));
  for (int64_t part = 1; part < hk::numCtasOf(op); part *= 2) {
    blocks.emplace_back(shape.size(), 0);
    if (part < parts)
      blocks.back()[slowest] = static_cast<int32_t>(part);
  }
  SmallVector<int64_t> box(shape.size(), 1);
  box[order.front()] = filling.take(order.front(), width);
  SmallVector<int64_t> lanes = filling.deal(hk::targetOf(op).warpSize), warps = filling.deal(hk::numWarpsAt(op));
  return hk::BlockedAttr::get(op->getContext(), box, lanes, warps, order, blocks);
}

/// Returns the dimensions from the last to the first.
static SmallVector<int64_t> rowMajorOrder(size_t rank) {
  SmallVector<int64_t> order;
  for (size_t dim = rank; dim-- > 0;)
    order.push_back(dim);
  return order;
}

hk::BlockedAttr chooseCoalesced(hk::GlobalAccess op, ArrayRef<int64_t> shape, const AxisInfoAnalysis &analysis) {
  hk::GlobalAddresses access = op.getGlobalAddresses();
  Type element = getElementTypeOrSelf(access.accessed);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  AxisInfo addresses = analysis.get(access.addresses);
  if (access.base)
    addresses =
        addOffsets(analysis.get(access.base), addresses, cast<RankedTensorType>(access.addresses.getType()), bits / 8);
  AxisInfo mask = access.mask ? analysis.get(access.mask) : AxisInfo();
  AccessShape widest = chooseAccess(addresses, access.mask ? &mask : nullptr, bits, hk::targetOf(op).maxAccessBits);

  SmallVector<int64_t> order = rowMajorOrder(shape.size());
  auto isFaster = [&](int64_t a, int64_t b) {
    return std::pair(addresses.dims[a].contiguity, a) > std::pair(addresses.dims[b].contiguity, b);
  };
  llvm::sort(order, isFaster);
  if (widest.width > 1) {
    llvm::erase(order, int64_t(widest.dim));
    order.insert(order.begin(), widest.dim);
  }
  return blockedIn(op, shape, order, std::min(widest.width, elementsPerLane(op, shape)));
}

hk::BlockedAttr chooseRowMajor(Operation *op, ArrayRef<int64_t> shape) {
  constexpr int64_t kMostTogether = 4;
  return blockedIn(op, shape, rowMajorOrder(shape.size()), std::min(kMostTogether, elementsPerLane(op, shape)));
}

} // namespace hocket
