//===- HostHazards.cpp - Converts operations that a host executes differently from a GPU -===//
//
//   sdiv, udiv, srem, urem   a zero divisor becomes a fault, and n / -1 becomes -n: a zero divisor or INT_MIN / -1 would
//                            end the host process
//   lane.float_to_int        LLVM's exact conversion, for which GPUs have an instruction
//   fma of f16, bf16         is computed with one rounding, as on a GPU; LLVM would compute it in f32 and round twice
//   fence                    becomes a fence between host threads for every GPU scope, and a call that passes the order
//                            between warps to the runtime
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "conversion/lane_to_llvm/FusedMultiplyAdd.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

/// True if the divisor is known to be neither 0 nor -1, so that no guard is needed.
static bool isHarmlessDivisor(Value divisor) {
  auto constant = divisor.getDefiningOp<LLVM::ConstantOp>();
  if (!constant)
    return false;
  auto harmless = [](const APInt &value) { return !value.isZero() && !value.isAllOnes(); };
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
    return harmless(integer.getValue());
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
    return llvm::all_of(dense.getValues<APInt>(), harmless);
  return false;
}

static Value splat(HostFunction &host, Type type, int64_t value) {
  TypedAttr attr;
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, host.builder.getIntegerAttr(vector.getElementType(), value));
  else
    attr = host.builder.getIntegerAttr(type, value);
  return LLVM::ConstantOp::create(host.builder, host.loc(), type, attr);
}

static void guardDivision(HostFunction &host, Operation *op, bool isSigned, bool isQuotient) {
  Value numerator = op->getOperand(0), divisor = op->getOperand(1);
  if (isHarmlessDivisor(divisor))
    return;
  OpBuilder &builder = host.builder;
  Type type = divisor.getType();
  Value isZero = LLVM::ICmpOp::create(builder, host.loc(), LLVM::ICmpPredicate::eq, divisor, splat(host, type, 0));
  if (isa<VectorType>(type))
    isZero = LLVM::vector_reduce_or::create(builder, host.loc(), builder.getI1Type(), isZero);
  host.guards.faultIf(isZero, host.sites.add(op, {.kind = host_abi::SiteKind::Division}), host.i64(0), op);
  if (!isSigned)
    return;
  Value isMinusOne = LLVM::ICmpOp::create(builder, host.loc(), LLVM::ICmpPredicate::eq, divisor, splat(host, type, -1));
  op->setOperand(1, LLVM::SelectOp::create(builder, host.loc(), isMinusOne, splat(host, type, 1), divisor));
  if (!isQuotient)
    return; // the divisor -1 has been replaced by 1, which has the same remainder 0
  builder.setInsertionPointAfter(op);
  Value negated = LLVM::SubOp::create(builder, host.loc(), splat(host, type, 0), numerator);
  Value quotient = LLVM::SelectOp::create(builder, host.loc(), isMinusOne, negated, op->getResult(0));
  op->getResult(0).replaceAllUsesExcept(quotient, quotient.getDefiningOp());
}

/// True if the fence orders accesses of `memory`, which is "local" or "global". A fence without a tag orders accesses
/// of both memories.
bool concernsMemory(LLVM::FenceOp fence, StringRef memory) {
  Attribute annotation = fence->getDiscardableAttr("llvm.mmra");
  SmallVector<Attribute> tags;
  if (auto several = dyn_cast_or_null<ArrayAttr>(annotation))
    llvm::append_range(tags, several);
  else if (annotation)
    tags.push_back(annotation);
  bool isTagged = false;
  for (Attribute attr : tags) {
    auto tag = dyn_cast<LLVM::MMRATagAttr>(attr);
    if (!tag || tag.getPrefix() != "amdgpu-synchronize-as")
      continue;
    if (tag.getSuffix() == memory)
      return true;
    isTagged = true;
  }
  return !isTagged;
}

static Converted convertFence(HostFunction &host, LLVM::FenceOp fence) {
  using host_abi::FenceEffects;
  LLVM::AtomicOrdering ordering = fence.getOrdering();
  FenceEffects effects = {}, memories = {};
  if (ordering != LLVM::AtomicOrdering::acquire)
    effects = effects | host_abi::kReleases;
  if (ordering != LLVM::AtomicOrdering::release)
    effects = effects | host_abi::kAcquires;
  bool isForGlobal = concernsMemory(fence, "global");
  if (concernsMemory(fence, "local"))
    memories = memories | host_abi::kOfShared;
  if (isForGlobal)
    memories = memories | host_abi::kOfGlobal;
  if (isBetweenWarps(fence) && memories)
    calls::fence(host, effects | memories);
  if (isForGlobal && isBetweenBlocks(fence))
    calls::blockFence(host, effects);
  fence.removeSyncscopeAttr();
  fence->removeDiscardableAttr("llvm.mmra");
  if (!isForGlobal)
    fence.erase();
  return true;
}

/// Converts a fused multiply-add for which LLVM would round twice on the host.
static Converted convertFma(HostFunction &host, LLVM::FMAOp op) {
  if (!op.getType().isF16() && !op.getType().isBF16())
    return false;
  op.replaceAllUsesWith(emitNarrowFma(host.builder, host.loc(), op.getA(), op.getB(), op.getC()));
  op->erase();
  return true;
}

template <typename OpT>
static void addDivision(OpConversions &table, bool isSigned, bool isQuotient) {
  table.add([=](HostFunction &host, OpT op) -> Converted {
    guardDivision(host, op, isSigned, isQuotient);
    return true;
  });
}

void addHostHazards(OpConversions &table) {
  table.add(convertFma);
  addDivision<LLVM::SDivOp>(table, /*isSigned=*/true, /*isQuotient=*/true);
  addDivision<LLVM::UDivOp>(table, /*isSigned=*/false, /*isQuotient=*/true);
  addDivision<LLVM::SRemOp>(table, /*isSigned=*/true, /*isQuotient=*/false);
  addDivision<LLVM::URemOp>(table, /*isSigned=*/false, /*isQuotient=*/false);
  table.add([](HostFunction &host, lane::FloatToIntOp cast) -> Converted {
    replaceByIntrinsic(host, cast, cast.getIsUnsigned() ? "llvm.fptoui.sat" : "llvm.fptosi.sat", cast.getValue());
    return true;
  });
  // The host has no GPU caches, so a cache policy becomes 0.
  table.add([](HostFunction &host, lane::CachePolicyOp) { return host.i64(0); });
  table.add(convertFence);
}

} // namespace hocket
