//===- GlobalMemoryOps.cpp - Operations of GlobalMemoryOps.td: verification and memory effects -===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk/ir/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  // A volatile read is observable. The write effect prevents passes from removing or moving the read.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(), GlobalMemory::get());
}

GlobalAddresses LoadOp::getGlobalAddresses() { return {Value(), getPtr(), getMask(), getType()}; }

GlobalAddresses StoreOp::getGlobalAddresses() { return {Value(), getPtr(), getMask(), getValue().getType()}; }

/// Verifies that `value`, the type that is read or written, has the shape and layout of `pointers` and their pointee
/// type.
static LogicalResult verifyAccess(Operation *op, Type pointers, Type value) {
  Type expected = getPointeeType(pointers);
  if (value != expected)
    return op->emitOpError() << "through " << pointers << " accesses " << expected << ", not " << value;
  return success();
}

static LogicalResult verifyAtomicWidth(Operation *op, Type value) {
  Type elementType = getElementTypeOrSelf(value);
  unsigned widthBits = elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 64;
  if (widthBits != 16 && widthBits != 32 && widthBits != 64)
    return op->emitOpError() << "needs elements of 16, 32 or 64 bits, but " << elementType << " has " << widthBits;
  return success();
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError() << "has 'other' but no mask, so 'other' would never be used";
  return verifyAccess(*this, getPtr().getType(), getType());
}

LogicalResult StoreOp::verify() { return verifyAccess(*this, getPtr().getType(), getValue().getType()); }

LogicalResult verifyAtomicElements(Operation *op, AtomicOp kind, Type value) {
  if (failed(verifyAtomicWidth(op, value)))
    return failure();
  Type elementType = getElementTypeOrSelf(value);
  if (kind == AtomicOp::Xchg)
    return success();
  bool isFloatAdd = kind == AtomicOp::FAdd;
  if (isFloatAdd ? !isa<FloatType>(elementType) : !isa<IntegerType>(elementType))
    return op->emitOpError() << stringifyAtomicOp(kind) << " needs " << (isFloatAdd ? "float" : "integer")
                             << " elements, not " << elementType;
  return success();
}

LogicalResult AtomicRmwOp::verify() {
  if (failed(verifyAccess(*this, getPtr().getType(), getValue().getType())))
    return failure();
  return verifyAtomicElements(*this, getOp(), getValue().getType());
}

LogicalResult AtomicCasOp::verify() {
  if (failed(verifyAccess(*this, getPtr().getType(), getValue().getType())))
    return failure();
  return verifyAtomicWidth(*this, getValue().getType());
}

} // namespace hocket::hk
