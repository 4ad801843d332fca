//===- StagesOfPipelines.cpp - Finds the warp pipeline stage of each operation ---------===//
//
// In lane form, a stage is a range of code: from the operation with `lane.stage` in the slot before the stage, to the
// next operation with a label. After a pipeline, the label is empty. The barrier of a slot precedes the label, so it
// belongs to the stage before the slot.
//
//     ^before:  sched.barrier {lane.stage = "load"}      stage 0 of the first iteration
//               br ^loop
//     ^loop:    ... load ...                               "load", on both incoming edges
//               sched.barrier 0 ; s.barrier                  "load"
//               sched.barrier {lane.stage = "compute"}
//               ...                                          "compute"
//               sched.barrier {lane.stage = "load"}
//               cond_br ^loop, ^after
//     ^after:   sched.barrier {lane.stage = ""}          none
//
// Method: labels are propagated along control flow edges to a fixed point. If edges with different labels join, the
// code after that point is in no stage.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/steps/StagesOfPipelines.h"

#include "dialect/lane/LaneFacts.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {

using Labels = llvm::DenseMap<Block *, StringAttr>;

/// Returns the stage after `op`, where `stage` is the stage before `op`.
static StringAttr stageAfter(Operation &op, StringAttr stage) {
  auto label = lane::kStageAttr.getAttr(&op);
  if (!label)
    return stage;
  return label.empty() ? StringAttr() : label;
}

/// Returns the label at the beginning of each reachable block.
static Labels labelsOfBlocks(Region &body) {
  Labels atBegin = {{&body.front(), StringAttr()}};
  SmallVector<Block *> worklist = {&body.front()};
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    StringAttr stage = atBegin[block];
    for (Operation &op : *block)
      stage = stageAfter(op, stage);
    for (Block *next : block->getSuccessors()) {
      auto [known, isNew] = atBegin.try_emplace(next, stage);
      // The label of each block changes at most twice: first the block gets a label; later, another edge can show that
      // the block is in no stage.
      bool isContradicted = !isNew && known->second && known->second != stage;
      if (isContradicted)
        known->second = StringAttr();
      if (isNew || isContradicted)
        worklist.push_back(next);
    }
  }
  return atBegin;
}

SmallVector<StagedOp> operationsByStage(LLVM::LLVMFuncOp kernel) {
  Labels atBegin = labelsOfBlocks(kernel.getBody());
  SmallVector<StagedOp> ops;
  for (Block &block : kernel.getBody()) {
    StringAttr stage = atBegin.lookup(&block);
    for (Operation &op : block) {
      op.walk<WalkOrder::PreOrder>([&](Operation *inner) { ops.push_back({inner, stage}); });
      stage = stageAfter(op, stage);
    }
  }
  return ops;
}

} // namespace hocket
