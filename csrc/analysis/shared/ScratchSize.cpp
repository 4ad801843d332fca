//===- ScratchSize.cpp - Shared memory that operations use internally -------------===//
#include "analysis/shared/ScratchSize.h"

#include "dialect/hk/HkDialect.h"
#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk/TilePlans.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hocket {

static int64_t scratchOfConversion(hk::ConvertLayoutOp op) {
  ConvertLayoutPlan plan = hk::planConvertLayout(cast<mlir::RankedTensorType>(op.getSrc().getType()),
                                             cast<mlir::RankedTensorType>(op.getType()), hk::targetOf(op));
  auto *shared = std::get_if<SharedMoves>(&plan);
  return shared ? shared->scratchBytes : 0;
}

static int64_t scratchOfReduction(hk::ReduceOp op) {
  ReducePlan plan = hk::planReduce(cast<mlir::RankedTensorType>(op.getSrcs().front().getType()), op.getAxis());
  if (!plan.exchange)
    return 0;
  int64_t bytes = 0;
  for (mlir::Value src : op.getSrcs())
    bytes += exchangeBytes(*plan.exchange, hk::storageBits(cast<mlir::RankedTensorType>(src.getType()).getElementType()));
  return bytes;
}

/// An atomic's old values pass through scratch where several warps hold the same element and need it.
static int64_t scratchOfAtomic(mlir::Operation *op) {
  if (op->use_empty())
    return 0;
  int numWarps = hk::numWarpsAt(op);
  mlir::Type type = op->getResult(0).getType();
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  int64_t bytes = hk::storageBits(mlir::getElementTypeOrSelf(type)) / 8;
  if (!tensor)
    return numWarps > 1 ? bytes : 0;
  LinearLayout layout = cast<hk::DistributedLayout>(tensor.getEncoding()).toLinearLayout(tensor.getShape());
  bool isReplicated = layout.getFreeVariableMasks()[Dim::Warp] != 0 || layout.getInDimSize(Dim::Warp) < numWarps;
  return isReplicated ? bytes * tensor.getNumElements() : 0;
}

int64_t getScratchBytes(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, int64_t>(op)
      .Case<hk::ConvertLayoutOp>(scratchOfConversion)
      .Case<hk::ReduceOp>(scratchOfReduction)
      .Case<hk::AtomicAccess>([](hk::AtomicAccess atomic) { return scratchOfAtomic(atomic); })
      .Default([](mlir::Operation *) { return int64_t(0); });
}

} // namespace hocket
