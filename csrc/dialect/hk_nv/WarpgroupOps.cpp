//===- WarpgroupOps.cpp - Operations of WarpgroupOps.td: verification, interfaces -===//
#include "dialect/hk/ProductChecks.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket::hk_nv {

/// Every product makes a group on it.
static constexpr hk::AsyncCounter kProducts{"hk_nv.wgmma_groups"};

/// That wgmma.wait_group can leave.
static constexpr unsigned kMostOutstanding = 7;

std::optional<hk::AsyncCounter> WarpgroupMmaOp::getCounterOf(Value operand) {
  return isa<hk::MemDescType>(operand.getType()) ? std::optional(kProducts) : std::nullopt;
}

SmallVector<hk::AsyncCounter, 1> WarpgroupMmaOp::getCommittedCounters() {
  return getGroupGoesOn() ? SmallVector<hk::AsyncCounter, 1>() : SmallVector<hk::AsyncCounter, 1>{kProducts};
}

hk::AsyncCounter WarpgroupMmaOp::getCounterOfResults() { return kProducts; }

OpOperand *WarpgroupMmaOp::getOperandInPlace() {
  bool isIgnored = getUseAcc() && matchPattern(getUseAcc(), m_Zero());
  return isIgnored ? nullptr : &getAccMutable();
}

SmallVector<Value, 1> WarpgroupMmaOp::getRegistersInUse() {
  return isa<RankedTensorType>(getA().getType()) ? SmallVector<Value, 1>{getA()} : SmallVector<Value, 1>();
}

void WarpgroupMmaOp::leaveGroupOpen() { setGroupGoesOn(true); }

Operation *WarpgroupMmaOp::createWait(OpBuilder &builder, Location loc, ValueRange values, unsigned outstanding) {
  return WarpgroupMmaWaitOp::create(builder, loc, values, std::min(outstanding, kMostOutstanding));
}

Value WarpgroupMmaOp::createFinished(OpBuilder &builder, Location loc, Value value) {
  return WarpgroupMmaFinishedOp::create(builder, loc, value);
}

/// The write stands for the group, which waits count: a product must not be removed, nor merged with another.
void WarpgroupMmaOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<hk::MemDescType>(getA().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getAMutable(), hk::SharedMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable(), hk::SharedMemory::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult WarpgroupMmaOp::verify() {
  auto asTensor = [](Type type) {
    auto shaped = cast<ShapedType>(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    return RankedTensorType::get(shaped.getShape(), shaped.getElementType(), tensor ? tensor.getEncoding() : nullptr);
  };
  RankedTensorType acc = getAcc().getType();
  const hk::ProductOperand a{"a", 0, asTensor(getA().getType())}, b{"b", 1, asTensor(getB().getType())};
  if (failed(hk::verifyProductShapes(*this, a, b, acc, /*maxRank=*/2)))
    return failure();
  auto layout = dyn_cast<MmaAttr>(acc.getEncoding());
  if (!layout || layout.getMajorVersion() != 3)
    return emitOpError() << "needs an accumulator in a #hk_nv.mma layout of version [3, 0], not " << acc.getEncoding();
  bool isInRegisters = isa<RankedTensorType>(getA().getType());
  if (isInRegisters && failed(hk::verifyProductOperands(*this, a, layout)))
    return failure();
  Type elementA = a.type.getElementType(), elementB = b.type.getElementType();
  if ((getUnsignedA() && !elementA.isInteger()) || (getUnsignedB() && !elementB.isInteger()))
    return emitOpError() << "has 'unsigned_a' or 'unsigned_b' for an operand that is no integer";
  std::optional<WgmmaInstruction> instruction = wgmmaOf(*this);
  if (!instruction)
    return emitOpError() << "cannot multiply " << elementA << " by " << elementB << " into " << acc.getElementType();
  if (int64_t width = 32 / bitsOf(instruction->a); isInRegisters && a.kWidth() != width)
    return emitOpError() << "needs a k_width of " << width << " (4 bytes), not " << a.kWidth();
  if (layout.getInstrShape()[2] != instruction->k())
    return emitOpError() << "of " << elementA << " has K = " << instruction->k()
                         << " in its instr_shape, but the layout has " << layout.getInstrShape()[2];
  struct Size {
    StringRef name;
    int64_t size, step;
  };
  const Size sizes[] = {{"M", acc.getShape()[0], kWgmmaRows},
                        {"N", acc.getShape()[1], instruction->n},
                        {"K", a.depth(), instruction->k()}};
  for (auto [name, size, step] : sizes)
    if (size % step != 0)
      return emitOpError() << "needs " << name << " to be a multiple of " << step << ", but " << name << " is " << size;
  return success();
}

SmallVector<hk::AsyncCounter, 1> WarpgroupMmaWaitOp::getAwaitedCounters() { return {kProducts}; }

LogicalResult WarpgroupMmaWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                   DictionaryAttr, OpaqueProperties, RegionRange,
                                                   SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

} // namespace hocket::hk_nv
