//===- StagedWaits.cpp - Waits between the stages of warp pipelines ---------------------------------===//
#include "transforms/minimize_waits/StagedWaits.h"

#include "analysis/warp_pipeline/PipelineEntry.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "transforms/Passes.h"
#include "transforms/minimize_waits/PlaceCommits.h"
#include "transforms/minimize_waits/PlaceWaits.h"
#include "transforms/minimize_waits/WeakenWaits.h"
#include "transforms/warp_pipeline/WarpPipelinePasses.h"

using namespace mlir;

namespace hocket {

/// Maximum number of waits that are placed outside of stages, so that the search for missing waits always terminates.
static constexpr int kMostPlaced = 1000;

namespace {
/// A copy of the module that contains a function.
struct ModuleCopy {
  IRMapping mapping;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;

  explicit ModuleCopy(func::FuncOp original) {
    module = cast<ModuleOp>(original->getParentOfType<ModuleOp>()->clone(mapping));
    function = cast<func::FuncOp>(mapping.lookup(original.getOperation()));
  }
  /// Runs passes on the copy, without diagnostics; returns false if a pass fails.
  bool run(function_ref<void(OpPassManager &)> addPasses) {
    ScopedDiagnosticHandler silence(module->getContext(), [](Diagnostic &) { return success(); });
    PassManager passes(module->getContext());
    addPasses(passes);
    return succeeded(passes.run(*module));
  }
};

/// The warp pipelines of a function, in a copy of the module in which stages are regions and memory is allocated.
class PlannedPipelines {
public:
  explicit PlannedPipelines(func::FuncOp function);

  /// The pipelines in program order; empty if the passes before the analysis fail. The passes will fail again, with
  /// messages, when the compiler runs them on the function.
  SmallVector<WarpPipeline> pipelines;

  /// Returns the marker of the original function that begins `stage`.
  Operation *beginOf(hk::StageOp stage) const { return begins.lookup(stage); }
  /// Returns the operation of the original function that begins `pipeline`.
  Operation *firstOpOf(const WarpPipeline &pipeline) const {
    Operation *begin = beginOf(pipeline.stages.front());
    return pipeline.loop ? begin->getParentOp() : begin;
  }
  /// Returns the function in the copy of the module.
  func::FuncOp function() const { return copy.function; }

private:
  ModuleCopy copy;
  DenseMap<Operation *, Operation *> begins;
};
} // namespace

PlannedPipelines::PlannedPipelines(func::FuncOp function) : copy(function) {
  bool isPrepared = copy.run([](OpPassManager &passes) {
    passes.addPass(createDeferExchanges());
    passes.addPass(createWarpPipelinePartition());
    passes.addPass(createAllocateMemory());
  });
  if (!isPrepared)
    return;
  SmallVector<Operation *> markers, stages;
  function.walk<WalkOrder::PreOrder>([&](hk::StageBeginOp begin) { markers.push_back(begin); });
  copy.function.walk<WalkOrder::PreOrder>([&](hk::StageOp stage) { stages.push_back(stage); });
  ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<SmallVector<WarpPipeline>> found = findWarpPipelines(copy.function);
  if (failed(found) || markers.size() != stages.size()) // each marker must have become one region, in the same order
    return;
  for (auto [stage, marker] : llvm::zip_equal(stages, markers))
    begins[stage] = marker;
  pipelines = std::move(*found);
}

// Placing -------------------------------------------------------------------------------------------------------------

namespace {
struct SlotWait {
  Operation *before = nullptr;
  unsigned outstanding = 0;
};
} // namespace

/// Adds a wait to `waits`. If a slot already has a wait, the wait that leaves fewer groups in flight replaces both.
static void addWait(SmallVectorImpl<SlotWait> &waits, const SlotWait &added) {
  auto known = llvm::find_if(waits, [&](const SlotWait &wait) { return wait.before == added.before; });
  if (known == waits.end())
    waits.push_back(added);
  else
    known->outstanding = std::min(known->outstanding, added.outstanding);
}

/// Finds the latest slot (barrier position between stages) in which a wait for `copy` completes the copy in time. A
/// wait before the stage that is `latest` stages after the stage of the copy is in time.
static void placeWaitFor(const PlannedPipelines &planned, const WarpPipeline &pipeline, const StageAccess &copy,
                         int64_t latest, SmallVectorImpl<SlotWait> &waits) {
  for (int64_t later = latest; later > 0; --later) {
    unsigned slot = (copy.stage + later) % pipeline.numStages();
    unsigned commits = commitsSince(pipeline, copy, later);
    if (pipeline.waits[slot] || commits == 0) // the slot has a wait, or follows no commit of the copy
      continue;
    addWait(waits, {planned.beginOf(pipeline.stages[slot]), commits - 1});
    return;
  }
}

/// Finds the waits to insert between stages, for copies whose data the stages read or overwrite.
static SmallVector<SlotWait> findSlotWaits(const PlannedPipelines &planned) {
  SmallVector<SlotWait> waits;
  MemoryAliases aliases(planned.function());
  for (const WarpPipeline &pipeline : planned.pipelines) {
    if (pipeline.isPingPong())
      continue;
    StageHazards stages(pipeline, aliases);
    llvm::MapVector<const StageAccess *, int64_t> latest;
    for (const AccessHazard &hazard : stages.getHazards()) {
      if (hazard.earlier->getCounter() != hk::kCopyGroups)
        continue;
      int64_t later = hazard.stagesApart + 1 - hazard.inSchedule.neededDistance();
      auto [known, isNew] = latest.try_emplace(hazard.earlier, later);
      known->second = std::min(known->second, later);
    }
    for (auto [copy, later] : latest)
      placeWaitFor(planned, pipeline, *copy, later, waits);
  }
  return waits;
}

/// Finds the waits to insert before pipelines, for copies in flight that no wait between the stages completes before
/// the copied data are accessed.
static SmallVector<SlotWait> findEntryWaits(const PlannedPipelines &planned) {
  SmallVector<SlotWait> waits;
  MemoryAliases aliases(planned.function());
  CopiesInFlight inFlight(planned.function(), planned.pipelines);
  for (const WarpPipeline &pipeline : planned.pipelines) {
    StageHazards stages(pipeline, aliases);
    PipelineEntry entry(pipeline, inFlight.before(pipeline), stages, aliases);
    for (const EntryHazard &hazard : entry.getHazards())
      if (hazard.inFlight.counter == hk::kCopyGroups && !hazard.inSchedule.canBeSettled())
        addWait(waits, {planned.firstOpOf(pipeline), std::max(hazard.inFlight.age, 1u) - 1});
  }
  return waits;
}

/// True if `op` is between the markers of a stage.
static bool isInStage(Operation *op) {
  for (; op && !isa<func::FuncOp>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
      if (isa<hk::StageBeginOp>(before))
        return true;
      if (isa<hk::StageEndOp>(before))
        break;
    }
  return false;
}

/// Inserts a wait for the first operation outside of stages that needs one; returns false if there is none.
static bool placeOutside(func::FuncOp function, llvm::SmallPtrSetImpl<Operation *> &placed) {
  AsyncUses uses(function);
  for (const WaitNeed &need : WaitNeeds(function.getBody(), uses, ArrayRef<hk::AsyncCounter>()).find())
    if (need.counter == hk::kCopyGroups && !isInStage(need.op)) {
      llvm::SmallPtrSet<Operation *, 4> added = placeWaits(need, uses, hk::kCopyGroups);
      placed.insert(added.begin(), added.end());
      return true;
    }
  return false;
}

llvm::SmallPtrSet<Operation *, 4> placeStagedWaits(func::FuncOp function) {
  placeCommits(function);
  llvm::SmallPtrSet<Operation *, 4> placed;
  auto insert = [&](ArrayRef<SlotWait> waits) {
    for (const SlotWait &wait : waits) {
      OpBuilder builder(wait.before);
      placed.insert(hk::AsyncWaitGroupOp::create(builder, wait.before->getLoc(), wait.outstanding));
    }
  };
  insert(findSlotWaits(PlannedPipelines(function)));
  insert(findEntryWaits(PlannedPipelines(function)));
  for (int tried = 0; tried < kMostPlaced && placeOutside(function, placed); ++tried)
    ;
  return placed;
}

// Weakening -----------------------------------------------------------------------------------------------------------

/// True if the passes of warp pipelines accept `function` after the waits are changed as `weaker` specifies.
static bool areStagesAccepted(func::FuncOp function, const WaitNeeds::Replaced &weaker) {
  ModuleCopy copy(function);
  for (auto [wait, outstanding] : weaker) {
    Operation *copied = copy.mapping.lookup(wait);
    if (outstanding)
      cast<hk::AsyncWait>(copied).setOutstanding(*outstanding);
    else
      copied->erase();
  }
  return copy.run([](OpPassManager &passes) { addWarpPipelinePasses(passes); });
}

void weakenStagedWaits(func::FuncOp function, const llvm::SmallPtrSetImpl<Operation *> &placed, bool keepsWritten) {
  auto mayChange = [&](Operation *wait) {
    return placed.contains(wait) ||
           (!keepsWritten && isPipelineWait(wait) && !isForGlobalWrites(function, cast<hk::AsyncWait>(wait)));
  };
  auto accepts = [&](const WaitNeeds::Replaced &weaker) { return areStagesAccepted(function, weaker); };
  applyWeaker(findWeaker(function, mayChange, accepts), placed);
}

} // namespace hocket
