//===- WarpgroupOps.cpp - Operations of WarpgroupOps.td: verification, interfaces -===//
#include "dialect/hk/facts/MmaChecks.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket::hk_nv {

/// Counter on which every wgmma commits a group.
static constexpr hk::CounterSpelling kSpelling{
    .access = "wgmma", .accesses = "wgmmas", .wait = "acc = warpgroup_mma_wait(", .waitEnd = ", deps=[acc])"};
static constexpr hk::AsyncCounter kWgmmaGroups{"hk_nv.wgmma_groups", &kSpelling};

hk::Completion WarpgroupMmaOp::getCompletionOf(Value operand) {
  return isa<hk::MemDescType>(operand.getType()) ? kWgmmaGroups : hk::Completion();
}

SmallVector<hk::AsyncCounter, 1> WarpgroupMmaOp::getCommittedCounters() {
  return getGroupGoesOn() ? SmallVector<hk::AsyncCounter, 1>() : SmallVector<hk::AsyncCounter, 1>{kWgmmaGroups};
}

hk::AsyncCounter WarpgroupMmaOp::getCounterOfResults() { return kWgmmaGroups; }

OpOperand *WarpgroupMmaOp::getOperandInPlace() {
  bool isIgnored = getUseAcc() && matchPattern(getUseAcc(), m_Zero());
  return isIgnored ? nullptr : &getAccMutable();
}

SmallVector<Value, 1> WarpgroupMmaOp::getRegistersInUse() {
  return isa<RankedTensorType>(getA().getType()) ? SmallVector<Value, 1>{getA()} : SmallVector<Value, 1>();
}

void WarpgroupMmaOp::leaveGroupOpen() { setGroupGoesOn(true); }

Operation *WarpgroupMmaOp::createWait(OpBuilder &builder, Location loc, ValueRange values, unsigned outstanding) {
  return WarpgroupMmaWaitOp::create(builder, loc, values, std::min(outstanding, kMostWgmmaGroups));
}

Value WarpgroupMmaOp::createFinished(OpBuilder &builder, Location loc, Value value) {
  return WarpgroupMmaFinishedOp::create(builder, loc, value);
}

/// The write effect represents the commit of a group. Because waits count groups, a wgmma must be neither removed nor
/// merged with another wgmma.
void WarpgroupMmaOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<hk::MemDescType>(getA().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getAMutable(), hk::SharedMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable(), hk::SharedMemory::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// Verifies the operands of `op`, a wgmma with the accumulator `acc`.
template <typename OpT>
static LogicalResult verifyWgmma(OpT op, RankedTensorType acc) {
  auto asTensor = [](Type type) {
    auto shaped = cast<ShapedType>(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    return RankedTensorType::get(shaped.getShape(), shaped.getElementType(), tensor ? tensor.getEncoding() : nullptr);
  };
  const hk::MmaOperandTile a{"a", 0, asTensor(op.getA().getType())}, b{"b", 1, asTensor(op.getB().getType())};
  if (failed(hk::verifyMmaShapes(op, a, b, acc, /*maxRank=*/2)))
    return failure();
  auto layout = dyn_cast<MmaAttr>(acc.getEncoding());
  if (!layout || layout.getMajorVersion() != 3)
    return op.emitOpError() << "needs an accumulator in a #hk_nv.mma layout of version [3, 0], not "
                            << acc.getEncoding();
  if (std::string reason = layout.whyNotWarpgroups(); !reason.empty())
    return op.emitOpError() << "cannot have an accumulator in " << layout << ": " << reason;
  bool isInRegisters = isa<RankedTensorType>(op.getA().getType());
  if (isInRegisters && failed(hk::verifyMmaOperands(op, a, layout)))
    return failure();
  Type elementA = a.type.getElementType(), elementB = b.type.getElementType();
  if ((op.getUnsignedA() && !elementA.isInteger()) || (op.getUnsignedB() && !elementB.isInteger()))
    return op.emitOpError() << "has 'unsigned_a' or 'unsigned_b' for an operand that is not an integer";
  std::optional<WgmmaInstruction> instruction = wgmmaOf(op);
  if (!instruction)
    return op.emitOpError() << "cannot multiply " << elementA << " by " << elementB << " into " << acc.getElementType();
  if (int64_t width = 32 / bitsOf(instruction->a); isInRegisters && a.kWidth() != width)
    return op.emitOpError() << "needs a k_width of " << width << " (4 bytes), not " << a.kWidth();
  ArrayRef<int64_t> shape = layout.getInstrShape();
  if (shape[2] != instruction->k())
    return op.emitOpError() << "of " << elementA << " has K = " << instruction->k()
                            << " in its instr_shape, but the layout has " << shape[2];
  struct Size {
    StringRef name;
    int64_t size, step;
  };
  const Size sizes[] = {
      {"M", acc.getShape()[0], kWgmmaRows}, {"N", acc.getShape()[1], shape[1]}, {"K", a.depth(), instruction->k()}};
  for (auto [name, size, step] : sizes)
    if (size % step != 0)
      return op.emitOpError() << "needs " << name << " to be a multiple of " << step << ", but " << name << " is "
                              << size;
  return success();
}

LogicalResult WarpgroupMmaOp::verify() { return verifyWgmma(*this, getAcc().getType()); }

void FusedWarpgroupMmaOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<hk::MemDescType>(getA().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getAMutable(), hk::SharedMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable(), hk::SharedMemory::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult FusedWarpgroupMmaOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                    DictionaryAttr attributes, OpaqueProperties properties,
                                                    RegionRange regions, SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  llvm::append_range(types, adaptor.getAccs().getTypes());
  return success();
}

LogicalResult FusedWarpgroupMmaOp::verify() {
  if (getAccs().size() < 2)
    return emitOpError("needs at least two accumulators");
  auto acc = cast<RankedTensorType>(getAccs().front().getType());
  if (!llvm::all_equal(getAccs().getTypes()))
    return emitOpError("needs accumulators of one type");
  if (failed(verifyWgmma(*this, acc)))
    return failure();
  auto layout = cast<MmaAttr>(acc.getEncoding());
  if (layout.getInstrShape()[1] != acc.getShape()[1] || layout.getWarpsPerCta()[1] != 1)
    return emitOpError("needs accumulators that are each as wide as an instruction of their layout");
  WgmmaInstruction instruction = *wgmmaOf(*this);
  if (!hasWgmmaColumns(instruction.sum, instruction.n))
    return emitOpError() << "has no instruction for " << instruction.n << " columns";
  return success();
}

SmallVector<hk::AsyncCounter, 1> WarpgroupMmaWaitOp::getAwaitedCounters() { return {kWgmmaGroups}; }

LogicalResult WarpgroupMmaWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                   DictionaryAttr, OpaqueProperties, RegionRange,
                                                   SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

} // namespace hocket::hk_nv
