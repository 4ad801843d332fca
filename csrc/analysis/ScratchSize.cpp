//===- ScratchSize.cpp - Shared memory that operations use internally -------------===//
#include "analysis/ScratchSize.h"

#include "analysis/ConvertLayoutPlan.h"
#include "analysis/ReducePlan.h"
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

int64_t getScratchBytes(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, int64_t>(op)
      .Case<hk::ConvertLayoutOp>(scratchOfConversion)
      .Case<hk::ReduceOp>(scratchOfReduction)
      .Default([](mlir::Operation *) { return int64_t(0); });
}

} // namespace hocket
