//===- DirectToSharedOps.cpp - Operations of DirectToSharedOps.td: verification ----===//
#include "dialect/hk_amd/HkAmdDialect.h"

using namespace mlir;

namespace hocket::hk_amd {

/// The tile has the shape of `source` (offsets or pointers) and elements of type `pointee`.
static LogicalResult verifyCopy(Operation *op, RankedTensorType source, Type pointee, hk::MemDescType tile, Value mask,
                                Value other) {
  if (other && !mask)
    return op->emitOpError() << "has 'other' but no mask: nothing could take its place";
  if (other && other.getType() != hk::withElementType(source, pointee))
    return op->emitOpError() << "needs 'other' of type " << hk::withElementType(source, pointee) << ", not "
                             << other.getType();
  if (tile.getShape() != source.getShape() || tile.getElementType() != pointee)
    return op->emitOpError() << "copies a tile of shape [" << source.getShape() << "] of " << pointee << ", not into "
                             << tile;
  return success();
}

/// Reading `source` is done when `dst` is written.
static std::optional<hk::AsyncCounter> counterOf(Value operand, Value source, Value dst) {
  return operand == source || operand == dst ? std::optional(hk::kCopyGroups) : std::nullopt;
}

std::optional<hk::AsyncCounter> BufferLoadToSharedOp::getCounterOf(Value operand) {
  return counterOf(operand, getPtr(), getDst());
}

std::optional<hk::AsyncCounter> GlobalLoadToSharedOp::getCounterOf(Value operand) {
  return counterOf(operand, getPtr(), getDst());
}

hk::GlobalAddresses BufferLoadToSharedOp::getGlobalAddresses() {
  Type pointee = cast<hk::PointerType>(getPtr().getType()).getPointee();
  return {getPtr(), getOffsets(), getMask(), hk::withElementType(getOffsets().getType(), pointee)};
}

hk::GlobalAddresses GlobalLoadToSharedOp::getGlobalAddresses() {
  Type pointee = cast<hk::PointerType>(getElementTypeOrSelf(getPtr().getType())).getPointee();
  return {Value(), getPtr(), getMask(), hk::withElementType(getPtr().getType(), pointee)};
}

LogicalResult BufferLoadToSharedOp::verify() {
  return verifyCopy(*this, cast<RankedTensorType>(getOffsets().getType()),
                    cast<hk::PointerType>(getPtr().getType()).getPointee(), cast<hk::MemDescType>(getDst().getType()),
                    getMask(), getOther());
}

LogicalResult GlobalLoadToSharedOp::verify() {
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  return verifyCopy(*this, pointers, cast<hk::PointerType>(pointers.getElementType()).getPointee(),
                    cast<hk::MemDescType>(getDst().getType()), getMask(), getOther());
}

} // namespace hocket::hk_amd
