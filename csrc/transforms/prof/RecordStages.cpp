//===- RecordStages.cpp - Records stages, partitions, waits and warps as scopes -----===//
//
// Input:   tile IR with stages as markers, and #prof.config with `stages` or `waits`.
// Output:  tile IR with a record at the beginning and the end of each stage, each partition, and the kernel (`stages`),
//          and around each wait for a barrier outside of stages (`waits`).
// Method:  records are inside their stage or worker, so that they move with its operations when stages become regions
//          and workers become functions. No record is between stages, because operations are not allowed there.
//
//===------------------------------------------------------------------------------===//
#include "dialect/prof/ProfConfig.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/prof/Passes.h"
#include "transforms/prof/RecordFacts.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_RECORDSTAGES
#include "transforms/prof/Passes.h.inc"

/// Name of the scope around a wait. Tools that read profiles count every scope whose name begins with "wait" as a wait.
static constexpr StringLiteral kWaitSite = "wait";

static void record(Operation *before, Location loc, prof::RecordKind kind, StringRef name, prof::SiteKind site,
                   std::optional<uint32_t> stage = {}, bool isExclusive = false) {
  OpBuilder builder(before);
  auto op = prof::RecordOp::create(builder, loc, kind, name, Value(), Value(), site);
  op.setStage(stage);
  op.setExclusive(isExclusive);
}

static void recordStages(Block &block) {
  int32_t number = -1;
  hk::StageBeginOp open;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto begin = dyn_cast<hk::StageBeginOp>(op)) {
      open = begin;
      number = begin.getPhaseGap() ? 0 : number + 1;
    }
    auto end = dyn_cast<hk::StageEndOp>(op);
    if (!end || !open)
      continue;
    std::string name = open.getLabel().empty() ? "stage " + std::to_string(number) : open.getLabel().str();
    record(open->getNextNode(), open.getLoc(), prof::RecordKind::Begin, name, prof::SiteKind::Stage, number,
           open.getExclusive());
    record(end, open.getLoc(), prof::RecordKind::End, name, prof::SiteKind::Stage, number);
    open = {};
  }
}

static void recordAround(Block &body, Location loc, StringRef name, prof::SiteKind kind) {
  record(&body.front(), loc, prof::RecordKind::Begin, name, kind);
  record(body.getTerminator(), loc, prof::RecordKind::End, name, kind);
}

/// True if warps wait at `op` until other warps have arrived at an mbarrier or a named barrier.
static bool waitsForBarrier(Operation &op) {
  if (auto named = dyn_cast<hk::NamedBarrierUse>(op))
    return named.waits();
  auto use = dyn_cast<hk::SharedBarrierUse>(op);
  return use && use.getAwaitedPhase();
}

/// True if `op` is in a scope that the user has named as a wait, such as `profiler.scope("wait for data")`.
static bool isInWaitScope(Operation &op) {
  int64_t closed = 0;
  for (Operation *before = op.getPrevNode(); before; before = before->getPrevNode()) {
    auto record = dyn_cast<prof::RecordOp>(before);
    if (!record)
      continue;
    if (record.getKind() == prof::RecordKind::End)
      ++closed;
    else if (record.getKind() == prof::RecordKind::Begin && closed-- == 0)
      return record.getName().starts_with_insensitive(kWaitSite);
  }
  return false;
}

/// True if `op` is in a loop body with stages of a warp pipeline. A wait in a stage is a part of the stage, and no
/// operation can be between stages.
static bool isInWarpPipeline(Operation *op) {
  for (; op && op->getBlock(); op = op->getParentOp())
    if (!op->getBlock()->getOps<hk::StageBeginOp>().empty())
      return true;
  return false;
}

/// True if the module contains prof.begin, or prof.record with kind Begin: the user has then marked the intervals to
/// record.
static bool hasIntervals(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    auto record = dyn_cast<prof::RecordOp>(op);
    bool isInterval = isa<prof::BeginOp>(op) || (record && record.getKind() == prof::RecordKind::Begin);
    return isInterval ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

static void recordWaits(ModuleOp module) {
  SmallVector<Operation *> waits;
  module.walk([&](Operation *op) {
    if (waitsForBarrier(*op) && !isInWaitScope(*op) && !isInWarpPipeline(op))
      waits.push_back(op);
  });
  for (Operation *wait : waits) {
    record(wait, wait->getLoc(), prof::RecordKind::Begin, kWaitSite, prof::SiteKind::Scope);
    record(wait->getNextNode(), wait->getLoc(), prof::RecordKind::End, kWaitSite, prof::SiteKind::Scope);
  }
}

namespace {
struct RecordStages : impl::RecordStagesBase<RecordStages> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    prof::ConfigAttr config = prof::configOf(module);
    if (!config)
      return markAllAnalysesPreserved();
    prof::Waits waits = config.getWaits();
    // Waits are recorded first, so that their records are inside the records of partitions.
    if (waits == prof::Waits::Always || (waits == prof::Waits::Auto && !hasIntervals(module)))
      recordWaits(module);
    if (!config.getStages())
      return;
    SmallVector<Block *> blocks;
    module.walk([&](Block *block) {
      if (!block->getOps<hk::StageBeginOp>().empty())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      recordStages(*block);
    module.walk([](hk::WarpSpecializeOp op) {
      recordAround(op.getBody().front(), op.getLoc(), "default", prof::SiteKind::Partition);
      for (hk::WorkerOp worker : op.getWorkerOps())
        recordAround(worker.getBody().front(), worker.getLoc(), worker.getName(), prof::SiteKind::Partition);
    });
    for (auto kernel : module.getOps<func::FuncOp>())
      if (!kernel.isExternal() && kernel.getBody().hasOneBlock())
        recordAround(kernel.getBody().front(), kernel.getLoc(), "warp", prof::SiteKind::Warp);
  }
};
} // namespace

} // namespace hocket
