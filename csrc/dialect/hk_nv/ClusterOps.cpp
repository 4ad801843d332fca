//===- ClusterOps.cpp - Operations of ClusterOps.td: verification and interfaces ---------------===//
#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk_nv/HkNvDialect.h"

using namespace mlir;

namespace hocket::hk_nv {

/// No wait is for it: what is stored is there with a phase of the mbarrier, which orders all who have waited for it.
static constexpr hk::AsyncCounter kRemoteStores{"hk_nv.remote_stores"};

std::optional<hk::AsyncCounter> AsyncStoreOp::getCounterOf(Value operand) {
  return operand == getDst() ? std::optional(kRemoteStores) : std::nullopt;
}

bool AsyncStoreOp::isByOneThread() { return false; }
bool AsyncStoreOp::isConcurrent() { return true; }
bool AsyncStoreOp::precedesWaits() { return false; }
/// What has been stored before is not released by it, nor does it tell that the block has come this far.
bool AsyncStoreOp::announcesAll() { return false; }

LogicalResult AsyncStoreOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto dst = cast<hk::MemDescType>(getDst().getType()), barrier = cast<hk::MemDescType>(getBarrier().getType());
  if (value.getShape() != dst.getShape() || value.getElementType() != dst.getElementType())
    return emitOpError() << "needs a tensor and a descriptor of one shape and element type, but has " << value
                         << " and " << dst;
  if (!isOneMbarrier(barrier))
    return emitOpError() << "needs one mbarrier, a handle to 1 x i64, not " << barrier;
  if (hk::numCtasOf(*this) < 2)
    return emitOpError("needs a cluster of at least two blocks");
  return success();
}

} // namespace hocket::hk_nv
