//===- EligibleLoops.cpp - Loops that can be divided into stages --------------------===//
//
// A loop must fulfill the rules for stages that a kernel writes (WarpPipelineChecks.cpp), and the following rules:
//
//   no barriers                   only waits for copies are moved between stages
//   no waits for asynchronous     such waits are inserted after stages have been formed: an asynchronous MMA is
//   MMAs                          complete at the end of its stage
//   no copies and asynchronous    the number of groups in flight would be unknown; copies that complete at an
//   MMAs in branches              mbarrier, such as TMA loads, are allowed in branches
//   only waits and arrivals at    the compiler cannot order the initialization of an mbarrier, or arrivals of copies
//   mbarriers                     of single threads, between stages. In a cluster, an arrival may signal another block
//                                 that this block has read a tile, and the analysis of hazards ignores such signals.
//   no other effects              print, assert and similar operations are not ordered between stages
//
//===------------------------------------------------------------------------------===//
#include "analysis/auto_stages/LoopGraph.h"

#include "analysis/warp_pipeline/WarpPipelines.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"

using namespace mlir;

namespace hocket {

/// True if the only effects of `op` are accesses of memory, operations on groups of copies (commits, waits) and on
/// mbarriers, or constraints for the instruction scheduler.
static bool hasKnownEffects(Operation *op) {
  return isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         isa<hk::RegisterAccess, hk::GlobalAccess, hk::AsyncAccess, hk::AsyncCommit, hk::AsyncWait,
             hk::SharedBarrierUse, hk::SchedBarrierOp>(op);
}

bool isCountedCopy(Operation *op) {
  auto access = dyn_cast<hk::AsyncAccess>(op);
  auto isCounted = [&](Value operand) { return access.getCompletionOf(operand).getCounter().has_value(); };
  return access && !isa<hk::AsyncResults>(op) && llvm::any_of(op->getOperands(), isCounted);
}

/// True if `op` copies, and its copy completes on an mbarrier (TMA).
static bool copiesAtBarrier(Operation *op) {
  auto access = dyn_cast<hk::AsyncAccess>(op);
  return access && llvm::any_of(op->getOperands(),
                                [&](Value operand) { return access.getCompletionOf(operand).getPhase().has_value(); });
}

bool isSoftwarePipelined(scf::ForOp loop) {
  auto isAbove1 = [](Operation *op) { return hk::kNumStagesAttr.get(op).value_or(1) > 1; };
  auto isKept = [](Operation *op) { return WalkResult(failure(copiesAtBarrier(op))); };
  return (isAbove1(loop) || isAbove1(loop->getParentOfType<ModuleOp>())) && !loop.walk(isKept).wasInterrupted();
}

/// Returns the reason why `op`, an operation in the body of `loop`, prevents a division into stages; empty if `op`
/// allows the division.
static std::string reasonAgainst(Operation *op, scf::ForOp loop, const DivisibleExchanges &exchanges) {
  const bool isInBranch = op->getBlock() != loop.getBody();
  if (isa<LoopLikeOpInterface>(op))
    return "the loop contains another loop";
  if (isa<hk::WarpPartition>(op))
    return "the loop starts other partitions of warps";
  if (isa<hk::BarrierOp, hk::NamedBarrierUse>(op))
    return "the loop contains a barrier";
  if (auto barrier = dyn_cast<hk::SharedBarrierUse>(op); barrier && !barrier.isConcurrent())
    return "the loop initializes or invalidates an mbarrier";
  if (isa<hk::SharedBarrierUse>(op) && hk::numCtasOf(loop) > 1)
    return "the loop uses mbarriers in a cluster, where arrivals may signal other blocks";
  if (isa<hk::AsyncArrival>(op))
    return "the copies of single threads arrive at an mbarrier";
  if (isResultWait(op))
    return "the loop contains a wait for asynchronous MMAs, which must be kept";
  if (isInBranch && isa<hk::AsyncResults>(op))
    return "the loop contains an asynchronous MMA in a branch";
  if (isInBranch && (isa<hk::AsyncCommit, hk::AsyncWait>(op) || isCountedCopy(op)))
    return "the loop copies or waits in a branch";
  if (auto wait = dyn_cast<hk::AsyncWait>(op); wait && wait.getAwaitedCounters().size() != 1)
    return "a wait is for several kinds of asynchronous operations";
  if (hk::getScratchBytes(op) > 0 && !exchanges.contains(op))
    return "an operation passes values between warps, which waits for all of them";
  if (isa<hk::LocalAllocOp>(op))
    return "the loop allocates shared memory";
  if (!hasKnownEffects(op))
    return "an operation has effects that stages do not order";
  return "";
}

std::optional<StageRefusal> findIneligible(scf::ForOp loop, const DivisibleExchanges &exchanges) {
  if (int numWarps = hk::numWarpsAt(loop); numWarps != kWarpsOfPipeline)
    return StageRefusal{nullptr, "a warp pipeline needs " + std::to_string(kWarpsOfPipeline) +
                                     " warps, but the loop is executed by " + std::to_string(numWarps)};
  if (isSoftwarePipelined(loop))
    return StageRefusal{nullptr, "num_stages requests a software pipeline for the loop"};
  if (llvm::any_of(loop.getRegionIterArgs(), [](Value value) { return isa<hk::MemDescType>(value.getType()); }))
    return StageRefusal{nullptr, "the loop carries handles of buffers; select a buffer of a ring by an index instead"};
  std::optional<StageRefusal> refusal;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string reason = reasonAgainst(op, loop, exchanges);
    if (!reason.empty())
      refusal = StageRefusal{op, reason};
    if (refusal)
      return WalkResult::interrupt();
    return isa<hk::ElementRegion>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return refusal;
}

} // namespace hocket
