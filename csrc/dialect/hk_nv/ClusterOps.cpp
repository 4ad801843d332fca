//===- ClusterOps.cpp - Operations of ClusterOps.td: verification and interfaces ---------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk_nv/HkNvDialect.h"

using namespace mlir;

namespace hocket::hk_nv {

hk::Completion AsyncStoreOp::getCompletionOf(Value operand) {
  return operand == getDst() ? hk::BarrierPhase{getBarrier()} : hk::Completion();
}

bool AsyncStoreOp::isByOneThread() { return false; }
bool AsyncStoreOp::isConcurrent() { return true; }
bool AsyncStoreOp::precedesWaits() { return false; }
/// The operation neither releases earlier stores nor signals that the block has reached the operation.
bool AsyncStoreOp::signalsAll() { return false; }

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
