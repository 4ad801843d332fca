//===- TmaOps.cpp - Operations of TmaOps.td: verification, completions -------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/hk_nv/TmaBoxes.h"

using namespace mlir;

namespace hocket::hk_nv {

using hk::AsyncCounter;

static constexpr hk::CounterSpelling kStores{.access = "store", .accesses = "stores", .wait = "tma.store_wait("};
static constexpr AsyncCounter kBulkReads{"hk_nv.bulk_reads", &kStores}, kBulkWrites{"hk_nv.bulk_writes", &kStores};

static LogicalResult verifyBlock(Operation *op, TensorDescType desc, ValueRange coords, hk::MemDescType tile) {
  if (desc.isIm2col() != isa<TmaLoadIm2colOp>(op))
    return op->emitOpError() << "cannot use " << desc << (desc.isIm2col() ? ", which is" : ", which is not")
                             << " of im2col";
  if (coords.size() != desc.getTensorRank())
    return op->emitOpError() << "needs a coordinate per dimension of the " << (desc.isIm2col() ? "tensor" : "block")
                             << ", " << desc.getTensorRank() << ", not " << coords.size();
  if (tile.getShape() != desc.getBlockShape() || tile.getElementType() != desc.getElementType() ||
      tile.getLayout() != desc.getLayout())
    return op->emitOpError() << "needs a tile with the shape, element type and layout of " << desc << ", not " << tile;
  if (std::string why = whyNotBoxes(tile, desc); !why.empty())
    return op->emitOpError() << "cannot move " << tile << ": " << why;
  return success();
}

// Stores --------------------------------------------------------------------------------------------------------------

static bool canReduce(hk::AtomicOp reduction, Type element) {
  using hk::AtomicOp;
  bool isHalf = element.isF16() || element.isBF16();
  bool isInteger = element.isInteger(32) || element.isInteger(64);
  switch (reduction) {
  case AtomicOp::FAdd:
    return isHalf || element.isF32();
  case AtomicOp::Max:
  case AtomicOp::Min:
    return isHalf || isInteger;
  case AtomicOp::Xchg:
    return false;
  default:
    return isInteger;
  }
}

LogicalResult TmaStoreOp::verify() {
  if (failed(verifyBlock(*this, getDesc().getType(), getCoords(), cast<hk::MemDescType>(getSrc().getType()))))
    return failure();
  if (std::optional<hk::AtomicOp> reduction = getReduction();
      reduction && !canReduce(*reduction, getDesc().getType().getElementType()))
    return emitOpError() << "cannot reduce " << getDesc().getType().getElementType() << " by '"
                         << hk::stringifyAtomicOp(*reduction) << "'";
  return success();
}

hk::Completion TmaStoreOp::getCompletionOf(Value operand) {
  if (operand == getSrc())
    return kBulkReads;
  return operand == getDesc() ? kBulkWrites : hk::Completion();
}

SmallVector<AsyncCounter, 1> TmaStoreOp::getCommittedCounters() { return {kBulkReads, kBulkWrites}; }

SmallVector<AsyncCounter, 1> TmaStoreWaitOp::getAwaitedCounters() {
  if (getReadOnly())
    return {kBulkReads};
  return {kBulkReads, kBulkWrites};
}

// Loads ---------------------------------------------------------------------------------------------------------------

template <typename LoadOp>
static LogicalResult verifyLoad(LoadOp op) {
  auto barrier = cast<hk::MemDescType>(op.getBarrier().getType());
  if (!isOneMbarrier(barrier))
    return op.emitOpError() << "needs one mbarrier, a handle to 1 x i64, not " << barrier;
  return verifyBlock(op, op.getDesc().getType(), op.getCoords(), cast<hk::MemDescType>(op.getDst().getType()));
}

/// Returns the completion of the access through `operand`. The read of the tensor completes together with the write of
/// the tile.
template <typename LoadOp>
static hk::Completion completionOf(LoadOp op, Value operand) {
  bool isLoaded = operand == op.getDesc() || operand == op.getDst();
  return isLoaded ? hk::BarrierPhase{op.getBarrier()} : hk::Completion();
}

LogicalResult TmaLoadOp::verify() { return verifyLoad(*this); }

hk::Completion TmaLoadOp::getCompletionOf(Value operand) { return completionOf(*this, operand); }

LogicalResult TmaLoadIm2colOp::verify() {
  if (failed(verifyLoad(*this)))
    return failure();
  unsigned spatial = getDesc().getType().getTensorRank() - 2;
  if (getOffsets().size() != spatial)
    return emitOpError() << "needs an offset per dimension of an image, " << spatial << ", not " << getOffsets().size();
  return success();
}

hk::Completion TmaLoadIm2colOp::getCompletionOf(Value operand) { return completionOf(*this, operand); }

} // namespace hocket::hk_nv
