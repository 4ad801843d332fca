//===- Scratch.cpp - Memory that operations own: offsets, names, scratch -----------===//
#include "dialect/hk/facts/Scratch.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "layout/DependentCopies.h"
#include "layout/LayoutWarps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket::hk {

std::optional<int64_t> offsetOf(Operation *op) {
  auto owner = dyn_cast<MemoryOwner>(op);
  IntegerAttr offset = owner ? owner.getOffsetAttr() : IntegerAttr();
  return offset ? std::optional(offset.getInt()) : std::nullopt;
}

void setOffset(Operation *owner, int64_t offset) {
  cast<MemoryOwner>(owner).setOffsetAttr(Builder(owner->getContext()).getI32IntegerAttr(int32_t(offset)));
}

StringAttr nameOf(Operation *op) {
  auto buffer = dyn_cast<LocalAllocOp>(op);
  return buffer ? buffer.getNameAttr() : StringAttr();
}

int64_t getScratchBytes(Operation *op) {
  auto user = dyn_cast<UsesScratch>(op);
  return user ? user.getScratchBytes() : 0;
}

StringRef nounOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](ConvertLayoutOp) { return "layout conversion"; })
      .Case([](GatherOp) { return "gather"; })
      .Case([](ReduceOp) { return "reduction"; })
      .Default(StringRef("operation"));
}

int64_t ConvertLayoutOp::getScratchBytes() {
  auto plan =
      planConvertLayout(cast<RankedTensorType>(getSrc().getType()), cast<RankedTensorType>(getType()), targetOf(*this));
  if (!plan)
    return 0; // without a plan, no scratch is needed, because the lowering rejects the operation
  if (auto *shared = std::get_if<SharedMoves>(&*plan))
    return shared->scratchBytes;
  auto *cluster = std::get_if<ClusterMoves>(&*plan);
  return cluster ? cluster->scratchBytes : 0;
}

int64_t ReduceOp::getScratchBytes() {
  ReducePlan plan = planReduce(cast<RankedTensorType>(getSrcs().front().getType()), getAxis());
  if (!plan.exchange)
    return 0;
  int64_t bytes = 0;
  for (Value src : getSrcs())
    bytes += exchangeBytes(*plan.exchange, storageBits(cast<RankedTensorType>(src.getType()).getElementType()));
  return bytes;
}

int64_t ScanOp::getScratchBytes() {
  auto plan = planScan(cast<RankedTensorType>(getSrcs().front().getType()), getAxis(), getReverse());
  if (!plan || !plan->exchange) // without a plan, no scratch is needed, because the lowering rejects the operation
    return 0;
  int64_t bytes = 0;
  for (Value src : getSrcs())
    bytes += exchangeBytes(*plan->exchange, storageBits(cast<RankedTensorType>(src.getType()).getElementType()));
  return bytes;
}

int64_t GatherOp::getScratchBytes() {
  auto plan = planGather(getSrc().getType(), getResult().getType(), getAxis());
  if (!plan) // without a plan, no scratch is needed, because the lowering rejects the operation
    return 0;
  auto *shared = std::get_if<SharedGather>(&*plan);
  return shared ? shared->elements * storageBits(getSrc().getType().getElementType()) / 8 : 0;
}

int64_t HistogramOp::getScratchBytes() { return getResult().getType().getNumElements() * sizeof(int32_t); }

int64_t AtomicRmwOp::getScratchBytes() { return scratchOfAtomic(*this); }
int64_t AtomicCasOp::getScratchBytes() { return scratchOfAtomic(*this); }
int64_t LocalAtomicScatterOp::getScratchBytes() { return scratchOfAtomic(*this); }

int64_t scratchOfAtomic(Operation *op) {
  if (op->use_empty())
    return 0;
  int numWarps = numWarpsAt(op);
  Type type = op->getResult(0).getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  int64_t bytes = storageBits(getElementTypeOrSelf(type)) / 8;
  if (!tensor)
    return numWarps > 1 ? bytes : 0;
  LinearLayout layout = toLinearLayout(tensor);
  bool isReplicated =
      layout.getFreeVariableMasks()[Dim::Warp] != 0 || layout.getInDimSize(Dim::Warp) < layoutWarps(numWarps);
  return isReplicated || hasDependentCopies(layout) ? bytes * tensor.getNumElements() : 0;
}

} // namespace hocket::hk
