//===- BufferOps.cpp - Operations of BufferOps.td: verification --------------------===//
#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk_amd/HkAmdDialect.h"

using namespace mlir;

namespace hocket::hk_amd {

/// Verifies that `value`, the type that is read or written, has the shape and layout of `offsets` and the pointee type
/// of `base`.
static LogicalResult verifyAccess(Operation *op, Type base, Type offsets, Type value) {
  Type expected = hk::withElementType(offsets, cast<hk::PointerType>(base).getPointee());
  if (value != expected)
    return op->emitOpError() << "at " << offsets << " from " << base << " accesses " << expected << ", not " << value;
  return success();
}

int64_t BufferAtomicRmwOp::getScratchBytes() { return hk::scratchOfAtomic(*this); }

hk::GlobalAddresses BufferLoadOp::getGlobalAddresses() { return {getPtr(), getOffsets(), getMask(), getType()}; }

hk::GlobalAddresses BufferStoreOp::getGlobalAddresses() {
  return {getPtr(), getOffsets(), getMask(), getValue().getType()};
}

hk::GlobalAddresses BufferAtomicRmwOp::getGlobalAddresses() {
  return {getPtr(), getOffsets(), getMask(), getValue().getType()};
}

LogicalResult BufferLoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError() << "has 'other' but no mask, so 'other' would never be used";
  return verifyAccess(*this, getPtr().getType(), getOffsets().getType(), getType());
}

LogicalResult BufferStoreOp::verify() {
  return verifyAccess(*this, getPtr().getType(), getOffsets().getType(), getValue().getType());
}

LogicalResult BufferAtomicRmwOp::verify() {
  if (failed(verifyAccess(*this, getPtr().getType(), getOffsets().getType(), getValue().getType())))
    return failure();
  Type element = getElementTypeOrSelf(getValue().getType());
  unsigned widthBits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  bool isPairable = getOp() == hk::AtomicOp::FAdd && widthBits == 16;
  if (widthBits != 32 && widthBits != 64 && !isPairable)
    return emitOpError() << "needs elements of 32 or 64 bits (16 for fadd), but " << element << " has " << widthBits;
  if (getOp() == hk::AtomicOp::Xchg)
    return success();
  bool needsFloat = getOp() == hk::AtomicOp::FAdd;
  if (needsFloat ? !isa<FloatType>(element) : !isa<IntegerType>(element))
    return emitOpError() << hk::stringifyAtomicOp(getOp()) << " needs " << (needsFloat ? "float" : "integer")
                         << " elements, not " << element;
  return success();
}

} // namespace hocket::hk_amd
