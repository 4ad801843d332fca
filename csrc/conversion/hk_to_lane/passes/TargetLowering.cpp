//===- TargetLowering.cpp - Exchanges values of any type between lanes --------------===//
//
// One instruction exchanges 32 bits. Narrower values are extended, wider values are split.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir;

namespace hocket {

TargetLowering::~TargetLowering() = default;

std::pair<Value, Value> TargetLowering::swapLanes(OpBuilder &, Location, Value, Value, unsigned) const {
  llvm_unreachable("TargetInfo::laneSwapMasks says that this target swaps no lanes");
}

Value TargetLowering::blockRank(OpBuilder &, Location, int) const {
  llvm_unreachable("TargetInfo::maxClusterBlocks says that this target has no clusters");
}

Value TargetLowering::sharedOfBlock(OpBuilder &, Location, Value, Value) const {
  llvm_unreachable("TargetInfo::maxClusterBlocks says that this target has no clusters");
}

void TargetLowering::clusterArrive(OpBuilder &, Location, bool) const {
  llvm_unreachable("TargetInfo::maxClusterBlocks says that this target has no clusters");
}

void TargetLowering::clusterWait(OpBuilder &, Location) const {
  llvm_unreachable("TargetInfo::maxClusterBlocks says that this target has no clusters");
}

void TargetLowering::arriveAtNamedBarrier(OpBuilder &, Location, Value, int) const {
  llvm_unreachable("TargetInfo::namedBarriers says that this target has no named barriers");
}

void TargetLowering::setPriority(OpBuilder &, Location, uint32_t) const {
  llvm_unreachable("TargetInfo::hasWarpPriorities says that this target has no priorities");
}

static unsigned widthBits(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * vector.getElementTypeBitWidth();
  return type.getIntOrFloatBitWidth();
}

/// Applies `exchange` (i32 -> i32) to the bits of `value`.
static Value exchangeBits(OpBuilder &builder, Location loc, Value value, function_ref<Value(Value)> exchange) {
  Type type = value.getType();
  unsigned bits = widthBits(type);
  Type i32 = builder.getI32Type();
  if (type == i32)
    return exchange(value);

  Type asInteger = builder.getIntegerType(bits);
  bool isPointer = isa<LLVM::LLVMPointerType>(type);
  if (isPointer)
    value = LLVM::PtrToIntOp::create(builder, loc, asInteger, value);
  else if (type != asInteger)
    value = LLVM::BitcastOp::create(builder, loc, asInteger, value);

  Value result;
  if (bits < 32) {
    Value wide = LLVM::ZExtOp::create(builder, loc, i32, value);
    result = LLVM::TruncOp::create(builder, loc, asInteger, exchange(wide));
  } else if (bits == 32) {
    result = exchange(value);
  } else {
    auto piecesType = VectorType::get(bits / 32, i32);
    Value pieces = LLVM::BitcastOp::create(builder, loc, piecesType, value);
    Value exchanged = LLVM::PoisonOp::create(builder, loc, piecesType);
    for (unsigned i = 0; i < bits / 32; ++i) {
      Value index = LLVM::ConstantOp::create(builder, loc, i32, i);
      Value piece = exchange(LLVM::ExtractElementOp::create(builder, loc, pieces, index));
      exchanged = LLVM::InsertElementOp::create(builder, loc, exchanged, piece, index);
    }
    result = LLVM::BitcastOp::create(builder, loc, asInteger, exchanged);
  }

  if (isPointer)
    return LLVM::IntToPtrOp::create(builder, loc, type, result);
  return type == asInteger ? result : LLVM::BitcastOp::create(builder, loc, type, result);
}

Value TargetLowering::shuffleXor(OpBuilder &builder, Location loc, Value value, unsigned laneMask) const {
  return exchangeBits(builder, loc, value, [&](Value bits) { return shuffleXor32(builder, loc, bits, laneMask); });
}

Value TargetLowering::shuffleUp(OpBuilder &builder, Location loc, Value value, Value lane, int distance) const {
  return exchangeBits(builder, loc, value, [&](Value bits) { return shuffleUp32(builder, loc, bits, lane, distance); });
}

/// The default implementation of shuffleUp32. The index of the source lane is taken modulo the size of a warp, so that
/// every lane reads from a lane that exists.
Value TargetLowering::shuffleUp32(OpBuilder &builder, Location loc, Value value, Value lane, int distance) const {
  auto constant = [&](int32_t number) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), number);
  };
  Value source = LLVM::SubOp::create(builder, loc, lane, constant(distance));
  source = LLVM::AndOp::create(builder, loc, source, constant(target.warpSize - 1));
  return shuffleIndex32(builder, loc, value, source);
}

Value TargetLowering::shuffleIndex(OpBuilder &builder, Location loc, Value value, Value lane) const {
  return exchangeBits(builder, loc, value, [&](Value bits) { return shuffleIndex32(builder, loc, bits, lane); });
}

} // namespace hocket
