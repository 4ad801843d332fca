//===- LaneDialect.cpp - The `lane` dialect: registration and verification --------===//
#include "dialect/lane/LaneDialect.h"
#include "dialect/hk/facts/FactTable.h"
#include "dialect/hk/facts/PrintText.h"
#include "dialect/lane/AddressSpaces.h"
#include "dialect/lane/LaneClusterOps.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/IR/TypeUtilities.h"
#include "target/MmaInstructions.h"

using namespace mlir;

#include "dialect/lane/LaneDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/lane/LaneOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/lane/LaneClusterOps.cpp.inc"

namespace hocket::lane {

void LaneDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/lane/LaneOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/lane/LaneClusterOps.cpp.inc"
      >();
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), hk::GlobalMemory::get());
  // A volatile read is observable. The write effect prevents passes from removing or moving the read.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(), hk::GlobalMemory::get());
}

// Verification ------------------------------------------------------------------------------------------------------

LogicalResult LaneDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  using enum hk::FactHolder;
  static const hk::DeclaredFact facts[] = {
      {kAcquiresAttr, Any},     {kNamedBarrierAttr, Any},
      {kUnusedCopiesAttr, Any}, {kCachePolicyAttr, Any, "an #hk.cache_policy"},
      {kStageAttr, Any},        {kUntimedAttr, Any},
  };
  return hk::verifyFact(op, attr, facts);
}

unsigned accessBits(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() == 1 && !vector.isScalable() ? vector.getNumElements() * vector.getElementTypeBitWidth()
                                                         : 0;
  return type.getIntOrFloatBitWidth();
}

static LogicalResult verifyWidth(Operation *op, Type type) {
  unsigned widthBits = accessBits(type);
  if (widthBits < 8 || widthBits > 128 || !llvm::isPowerOf2_32(widthBits))
    return op->emitOpError() << "accesses 8, 16, 32, 64 or 128 bits, as a scalar or a 1-D vector, not " << type;
  return success();
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getPred())
    return emitOpError() << "has 'other' but no predicate, so 'other' would never be used";
  return verifyWidth(*this, getType());
}

LogicalResult StoreOp::verify() { return verifyWidth(*this, getValue().getType()); }

LogicalResult StoreAsyncOp::verify() {
  if (size_t words = getWords().size(); words != 1 && words != 2 && words != 4)
    return emitOpError() << "stores 1, 2 or 4 words, not " << words;
  return success();
}

LogicalResult CachePolicyOp::verify() {
  if (getPolicy().getL2() == hk::EvictionPolicy::None)
    return emitOpError("has a policy without an L2 part");
  return success();
}

LogicalResult MmaOp::verify() {
  const MmaInstruction *known = findMma(getInstruction());
  if (!known)
    return emitOpError() << "names no instruction: " << getInstruction();
  if (isInteger(known->a) != getC().getType().getElementType().isInteger())
    return emitOpError() << "accumulates in " << (isInteger(known->a) ? "i32" : "f32") << ", not "
                         << getC().getType().getElementType();
  return success();
}

LogicalResult PrintOp::verify() {
  if (!hk::printfFormat(getText(), llvm::to_vector(getValues().getTypes())))
    return emitOpError("has a text whose placeholders do not match its values");
  return success();
}

static LogicalResult verifyAtomicWidth(Operation *op, Type type) {
  unsigned widthBits = accessBits(type);
  if (widthBits != 16 && widthBits != 32 && widthBits != 64)
    return op->emitOpError() << "needs 16, 32 or 64 bits, not " << type;
  return success();
}

LogicalResult AtomicRmwOp::verify() {
  Type type = getValue().getType();
  if (failed(verifyAtomicWidth(*this, type)))
    return failure();
  if (getOp() == hk::AtomicOp::Xchg)
    return success();
  Type elementType = getElementTypeOrSelf(type);
  bool needsFloat = getOp() == hk::AtomicOp::FAdd;
  if (needsFloat ? !isa<FloatType>(elementType) : !isa<IntegerType>(elementType))
    return emitOpError() << hk::stringifyAtomicOp(getOp()) << " needs " << (needsFloat ? "a float" : "an integer")
                         << ", not " << type;
  return success();
}

LogicalResult AtomicCasOp::verify() {
  if (isa<VectorType>(getValue().getType()))
    return emitOpError() << "swaps a scalar, not " << getValue().getType();
  return verifyAtomicWidth(*this, getValue().getType());
}

} // namespace hocket::lane
