//===- Pipeline.cpp - The compiler's pass pipelines, with the reason for each position -===//
#include "pipeline/Pipeline.h"

#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/Passes.h"
#include "conversion/lane_to_llvm/RequireExportable.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "conversion/prof_to_llvm/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "pipeline/Backend.h"
#include "transforms/Passes.h"
#include "transforms/nvidia/Passes.h"
#include "transforms/prof/Passes.h"
#include "transforms/warp_pipeline/WarpPipelinePasses.h"

using namespace mlir;

namespace hocket {

void buildTilePipeline(OpPassManager &pm) {
  // DecideLayouts runs first: all other passes require a linear map for every tensor.
  pm.addPass(createDecideLayouts());
  pm.addPass(createRequireDecidedLayouts());
  // CheckWarpBranches runs as soon as layouts determine which elements warps share, while branches still have the
  // structure of the source.
  pm.addPass(createCheckWarpBranches());
  // NumberBarriers runs early, because it counts the partitions that use a barrier and reports errors at the lines of
  // the uses. NumberBarriers runs before the warp pipeline passes, which use the barrier numbers that are still free.
  pm.addPass(createNumberBarriers());
  // RecordStages and NumberSites run before any pass duplicates operations, so that all copies of a record have the
  // same number.
  pm.addPass(createRecordStages());
  pm.addPass(createNumberSites());
  // PrepareScans runs before SplitClusterReductions, which rejects layout conversions between blocks at points where
  // the blocks cannot wait for each other.
  pm.addPass(createPrepareScans());
  // SplitClusterReductions runs before the clean-up, which merges equal layout conversions, including those that
  // PrepareScans and SplitClusterReductions insert.
  pm.addPass(createSplitClusterReductions());
  // UnrollLoops runs before the clean-up, which removes loops without iterations and folds indices of unrolled
  // iterations.
  pm.addPass(createUnrollLoops());
  // The clean-up runs early: the front end emits constants, splats and address arithmetic at each use, and folding
  // tensors is cheaper than folding their registers later. The clean-up also removes layout conversions that cancel, so
  // that no scratch space is allocated for them.
  pm.addPass(createCanonicalizerPass());
  // MergeEqualReads runs before CSE, which takes quadratic time on equal reads.
  pm.addPass(createMergeEqualReads());
  pm.addPass(createCSEPass());
  // ExpandClusterBarriers runs after the clean-up, which removes layout conversions, and before shared memory is
  // allocated, because it creates mbarriers and tiles in shared memory.
  pm.addPass(createExpandClusterBarriers());
  // MinimizeWaits runs before prefetching, which distributes copies, commits and waits over iterations and itself
  // counts the groups in flight. MinimizeWaits runs before shared memory is allocated, because a buffer is live until a
  // wait has completed its copies. MinimizeWaits runs before stages of warp pipelines become regions, because results
  // in flight cannot cross region boundaries.
  pm.addPass(createMinimizeWaits());
  // FormStages runs before WarpPipelinePartition, which reads the markers that FormStages writes, and after
  // MinimizeWaits, because FormStages moves waits between stages.
  pm.addPass(createFormStages());
  // The passes of warp pipelines (WarpPipelinePasses.cpp has the reasons for their order) run after FormStages, so that
  // they find all stages. WarpPipelineLowering runs before InsertBarriers, because a barrier inside a stage would break
  // the alternation of the two warpgroups. InsertBarriers inserts no barriers for accesses that WarpPipelineLowering
  // has ordered.
  addWarpPipelinePasses(pm);
  // InsertBarriers runs late: hazards are between byte ranges, so the offsets must be known. Later passes must not move
  // memory accesses.
  pm.addPass(createInsertBarriers());
  // InsertProxyFences runs last, because it requires all barriers: it inserts a fence before the barrier that orders a
  // store before an access through the async proxy.
  pm.addPass(createInsertProxyFences());
}

void buildLanePipeline(OpPassManager &pm) {
  // ChooseAccesses runs while loops are structured and tensors are single values, because address analysis relies on
  // both properties.
  pm.addPass(createChooseAccesses());
  // PlaceDescriptors runs after all passes that duplicate or remove operations, and while workers still list the values
  // that they capture.
  pm.addPass(createPlaceDescriptors());
  // OutlineWorkers runs after ChooseAccesses and PlaceDescriptors, because facts about addresses propagate into
  // workers. OutlineWorkers runs before any pass that reads a function's number of warps.
  pm.addPass(createOutlineWorkers());
  // AllocateRecords runs when the number of warps of a block is known. AllocateRecords runs before tiles become
  // registers, because ConvertHkToLane requires the final size of shared memory.
  pm.addPass(createAllocateRecords());
  // GuardLastWaits runs after all passes that analyze loops, because a condition around a loop would hide the loop from
  // them.
  pm.addPass(createGuardLastWaits());
  // FuseWgmma runs after all passes that count wgmma groups or search for wgmmas. FuseWgmma runs after OutlineWorkers,
  // so that each worker, as a separate function, has its own wgmma groups. FuseWgmma runs before loops become branches,
  // because only consecutive wgmmas of one IR block are fused.
  pm.addPass(createFuseWgmma());
  // ConvertLoopsToBranches runs before tensors become registers: a loop-carried tensor is then a block argument, which
  // the conversion handles like other block arguments.
  pm.addPass(createConvertLoopsToBranches());
  // ConvertHkToLane converts all tiles to registers in one dialect conversion.
  pm.addPass(createConvertHkToLanePass(createTargetLowering));
  // JoinPartitions runs before any pass that expects the kernel to be the only function.
  pm.addPass(createJoinPartitions());
  // EraseUnused runs after the conversion, because vector accesses leave the addresses and masks of most registers
  // dead. EraseUnused runs in the common pipeline, so that the emulator also executes fewer operations.
  pm.addPass(createEraseUnused());
  // CheckIndices runs after EraseUnused, because its assertions would keep unused values alive.
  pm.addPass(createCheckIndices());
  // ExpandRecords runs after JoinPartitions, because all warps compute the addresses of their records at the entry of
  // the one function. ExpandRecords runs after the index checks, which apply to the user's indices only.
  pm.addPass(createExpandRecords());
  pm.addPass(createConvertProfToLlvmPass(createTargetLowering, createClocks));
  // WriteMessages runs after the checks, whose assertions also send messages. WriteMessages changes kernels for AMD
  // GPUs only. WriteMessages runs in the common pipeline, so that the emulator executes its result, too.
  pm.addPass(createWriteMessages());
}

void buildGpuPipeline(OpPassManager &pm, const TargetInfo &target) {
  // The emulator does not run the GPU pipeline. Each back end lists its passes, with the reasons for their order.
  const Backend &backend = backendOf(target);
  backend.buildGpuPipeline(pm);
  // RequireExportable runs last: it rejects operations that cannot be exported to LLVM IR.
  SmallVector<ExportNames> others;
  for (const Backend *other : allBackends())
    if (other != &backend)
      others.push_back(other->exported);
  pm.addPass(createRequireExportablePass(infoOf(target.vendor).label, backend.exported, others));
}

void registerPipelines() {
  PassPipelineRegistration<>("hocket-tile-pipeline", "hk -> hk: clean up, allocate shared memory, insert barriers",
                             buildTilePipeline);
  PassPipelineRegistration<>("hocket-lane-pipeline", "hk -> lane form", buildLanePipeline);
  for (const TargetInfo &target : allTargets())
    PassPipelineRegistration<>("hocket-gpu-pipeline-" + std::string(target.name),
                               "lane form -> LLVM dialect for " + std::string(target.name),
                               [&target](OpPassManager &pm) { buildGpuPipeline(pm, target); });
}

} // namespace hocket
