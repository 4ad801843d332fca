//===- DirectToSharedOps.cpp - Operations of DirectToSharedOps.td: verification ----===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk_amd/HkAmdDialect.h"

using namespace mlir;

namespace hocket::hk_amd {

/// Returns the same completion for both operands: the read of the source completes together with the write of the
/// destination.
hk::Completion BufferLoadToSharedOp::getCompletionOf(Value operand) {
  return operand == getPtr() || operand == getDst() ? hk::kCopyGroups : hk::Completion();
}

hk::GlobalAddresses BufferLoadToSharedOp::getGlobalAddresses() {
  Type pointee = cast<hk::PointerType>(getPtr().getType()).getPointee();
  return {getPtr(), getOffsets(), getMask(), hk::withElementType(getOffsets().getType(), pointee)};
}

LogicalResult BufferLoadToSharedOp::verify() {
  Type pointee = cast<hk::PointerType>(getPtr().getType()).getPointee();
  auto source = cast<RankedTensorType>(hk::withElementType(getOffsets().getType(), pointee));
  return hk::verifyCopyToShared(*this, source, getDst(), getMask(), getOther());
}

} // namespace hocket::hk_amd
