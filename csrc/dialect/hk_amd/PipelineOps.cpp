//===- PipelineOps.cpp - Operations of PipelineOps.td: verification ---------------===//
#include "dialect/hk_amd/HkAmdDialect.h"

using namespace mlir;

namespace hocket::hk_amd {

LogicalResult StageOp::verify() {
  if ((*this)->getParentOfType<StageOp>())
    return emitOpError() << "stands in another stage";
  return success();
}

LogicalResult StageYieldOp::verify() {
  auto stage = cast<StageOp>((*this)->getParentOp());
  if (getOperandTypes() != stage.getResultTypes())
    return emitOpError() << "hands on (" << getOperandTypes() << "), but the stage has results of ("
                         << stage.getResultTypes() << ")";
  return success();
}

} // namespace hocket::hk_amd
