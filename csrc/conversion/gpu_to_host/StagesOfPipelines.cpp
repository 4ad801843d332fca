//===- StagesOfPipelines.cpp - Which stage of a warp pipeline an operation is in -------===//
//
// In lane form a stage is a stretch of code: from the operation that has hk.stage_label (that of the slot
// before it) to the next one that has a label, the empty one after a pipeline. The barrier of a slot comes before
// the label, so it counts to the stage that it ends.
//
//     ^before:  sched.barrier {hk.stage_label = "load"}      stage 0 of the first iteration
//               br ^loop
//     ^loop:    ..load..                                     "load", from both sides
//               sched.barrier 0 ; s.barrier                  "load"
//               sched.barrier {hk.stage_label = "compute"}
//               ..                                           "compute"
//               sched.barrier {hk.stage_label = "load"}
//               cond_br ^loop, ^after
//     ^after:   sched.barrier {hk.stage_label = ""}          none
//
// Method: labels are carried along the edges of the control flow until nothing changes. Where edges with different
// labels meet, no stage is named.
//
//===------------------------------------------------------------------------------===//
#include "conversion/gpu_to_host/StagesOfPipelines.h"

#include "dialect/hk/HkDialect.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {

using Labels = llvm::DenseMap<Block *, StringAttr>;

/// The stage after `op`, where `stage` is the one before it.
static StringAttr stageAfter(Operation &op, StringAttr stage) {
  auto label = op.getAttrOfType<StringAttr>(hk::HkDialect::kStageLabelAttr);
  if (!label)
    return stage;
  return label.empty() ? StringAttr() : label;
}

/// The label that each block begins with; blocks that control does not reach are left out.
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
      // Each block changes at most twice: to a label, and from it to none.
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
