//===- ScratchSize.cpp - Shared memory that operations use internally -------------===//
#include "analysis/shared/ScratchSize.h"

#include "analysis/plans/ConvertLayoutPlan.h"
#include "analysis/plans/ReducePlan.h"
#include "dialect/hk/HkDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hocket {

static const TargetInfo &targetOf(mlir::Operation *op) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  auto name = module->getAttrOfType<mlir::StringAttr>(hk::HkDialect::kTargetAttr);
  const TargetInfo *target = name ? findTarget(name.getValue()) : nullptr;
  if (!target)
    llvm::report_fatal_error("the module does not name a known target in hk.target");
  return *target;
}

static int64_t scratchOfConversion(hk::ConvertLayoutOp op) {
  ConvertLayoutPlan plan = planConvertLayout(cast<mlir::RankedTensorType>(op.getSrc().getType()),
                                             cast<mlir::RankedTensorType>(op.getType()), targetOf(op));
  auto *shared = std::get_if<SharedMoves>(&plan);
  return shared ? shared->scratchBytes : 0;
}

static int64_t scratchOfReduction(hk::ReduceOp op) {
  ReducePlan plan = planReduce(cast<mlir::RankedTensorType>(op.getSrcs().front().getType()), op.getAxis());
  if (!plan.exchange)
    return 0;
  int64_t bytes = 0;
  for (mlir::Value src : op.getSrcs())
    bytes += exchangeBytes(*plan.exchange, storageBits(cast<mlir::RankedTensorType>(src.getType()).getElementType()));
  return bytes;
}

/// An atomic's old values pass through scratch where several warps hold the same element and need it.
static int64_t scratchOfAtomic(mlir::Operation *op) {
  if (op->use_empty())
    return 0;
  auto numWarps = op->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::IntegerAttr>(hk::HkDialect::kNumWarpsAttr);
  mlir::Type type = op->getResult(0).getType();
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  int64_t bytes = storageBits(mlir::getElementTypeOrSelf(type)) / 8;
  if (!tensor)
    return numWarps && numWarps.getInt() > 1 ? bytes : 0;
  LinearLayout layout = cast<hk::DistributedLayout>(tensor.getEncoding()).toLinearLayout(tensor.getShape());
  bool isReplicated =
      layout.getFreeVariableMasks()[Dim::Warp] != 0 || (numWarps && layout.getInDimSize(Dim::Warp) < numWarps.getInt());
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
