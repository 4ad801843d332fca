//===- AsyncOps.cpp - Operations of AsyncOps.td, and queries about counters --------===//
#include "dialect/hk/facts/TypeChecks.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult verifyCopyToShared(Operation *op, RankedTensorType source, Value dst, Value mask, Value other) {
  auto tile = cast<MemDescType>(dst.getType());
  if (other && !mask)
    return op->emitOpError() << "has 'other' but no mask, so 'other' would never be used";
  if (other && other.getType() != source)
    return op->emitOpError() << "needs 'other' of type " << source << ", not " << other.getType();
  if (tile.getShape() != source.getShape() || tile.getElementType() != source.getElementType())
    return op->emitOpError() << "copies a tile of shape [" << source.getShape() << "] of " << source.getElementType()
                             << ", not into " << tile;
  return success();
}

/// Returns the same completion for both operands: the read of the source completes together with the write of the
/// destination.
Completion AsyncCopyToSharedOp::getCompletionOf(Value operand) {
  return operand == getPtr() || operand == getDst() ? kCopyGroups : Completion();
}

GlobalAddresses AsyncCopyToSharedOp::getGlobalAddresses() {
  return {Value(), getPtr(), getMask(), getPointeeType(getPtr().getType())};
}

LogicalResult AsyncCopyToSharedOp::verify() {
  auto source = cast<RankedTensorType>(getPointeeType(getPtr().getType()));
  return verifyCopyToShared(*this, source, getDst(), getMask(), getOther());
}

SmallVector<AsyncCounter, 1> AsyncCommitGroupOp::getCommittedCounters() { return {kCopyGroups}; }

SmallVector<AsyncCounter, 1> AsyncWaitGroupOp::getAwaitedCounters() { return {kCopyGroups}; }

bool commitsOn(Operation *op, AsyncCounter counter) {
  auto commit = dyn_cast<AsyncCommit>(op);
  return commit && llvm::is_contained(commit.getCommittedCounters(), counter);
}

std::optional<unsigned> outstandingOn(Operation *op, AsyncCounter counter) {
  auto wait = dyn_cast<AsyncWait>(op);
  if (!wait || !llvm::is_contained(wait.getAwaitedCounters(), counter))
    return std::nullopt;
  return wait.getOutstanding();
}

} // namespace hocket::hk
