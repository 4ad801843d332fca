//===- StageOps.cpp - Operations of StageOps.td: verification, concurrency -------------===//
#include "dialect/hk/ir/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult StageOp::verify() {
  if ((*this)->getParentOfType<StageOp>())
    return emitOpError() << "is nested in another stage";
  return success();
}

/// Control flow enters the region once, and then leaves the operation.
void StageOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getBody());
  else
    successors.emplace_back(*this, getResults());
}

/// One group of warps may be in the first stage of a pipeline while the other group is in the last stage.
std::pair<Operation *, Operation *> StageOp::getConcurrentOps() {
  auto stages = (*this)->getBlock()->getOps<StageOp>();
  Operation *first = *stages.begin(), *last = first;
  for (StageOp stage : stages)
    last = stage;
  return {first, last};
}

LogicalResult StageYieldOp::verify() {
  auto stage = cast<StageOp>((*this)->getParentOp());
  if (getOperandTypes() != stage.getResultTypes())
    return emitOpError() << "yields (" << getOperandTypes() << "), but the stage has results of ("
                         << stage.getResultTypes() << ")";
  return success();
}

} // namespace hocket::hk
