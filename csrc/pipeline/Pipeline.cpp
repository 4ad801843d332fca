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
  // CheckWarpBranches runs directly after layouts have been decided, because layouts determine which tensor elements
  // several warps hold. At this point of the pipeline, branches still have the structure of the source.
  pm.addPass(createCheckWarpBranches());
  // NumberBarriers runs early, because it reports errors of named barriers at the lines of the source. NumberBarriers
  // runs before the warp pipeline passes, which use the hardware barrier numbers that are still free.
  pm.addPass(createNumberBarriers());
  // RecordStages and NumberSites run before any pass duplicates operations, so that all copies of a profiler record
  // have the same site number.
  pm.addPass(createRecordStages());
  pm.addPass(createNumberSites());
  // PrepareScans runs before SplitClusterReductions, which rejects layout conversions between blocks at points where
  // the blocks cannot wait for each other.
  pm.addPass(createPrepareScans());
  // SplitClusterReductions runs before the clean-up, which merges equal layout conversions, including those that
  // PrepareScans and SplitClusterReductions insert.
  pm.addPass(createSplitClusterReductions());
  // UnrollLoops runs before the clean-up, which removes loops without iterations and folds the constant indices of
  // unrolled iterations.
  pm.addPass(createUnrollLoops());
  // The clean-up (canonicalization and CSE) runs early, because folding one operation on a tensor is cheaper than
  // folding operations on all of the tensor's registers later. The front end leaves much to fold: it emits constants,
  // splats and address arithmetic at each use. The clean-up also removes layout conversions that cancel, so that no
  // scratch space is allocated for them.
  pm.addPass(createCanonicalizerPass());
  // MergeEqualReads runs before CSE, because CSE takes quadratic time if a block contains many equal reads.
  pm.addPass(createMergeEqualReads());
  pm.addPass(createCSEPass());
  // CheckMissingWarps runs after the clean-up, which removes layout conversions that move no elements.
  // CheckMissingWarps runs before MinimizeWaits and the warp pipeline passes, which divide exchanges into stores and
  // loads.
  pm.addPass(createCheckMissingWarps());
  // ExpandClusterBarriers also expands layout conversions between blocks, so it runs after the clean-up, which removes
  // redundant layout conversions. ExpandClusterBarriers runs before shared memory is allocated, because it creates
  // mbarriers and tiles in shared memory.
  pm.addPass(createExpandClusterBarriers());
  // The first run of FormStages forms stages in loops with asynchronous MMAs. This run is before MinimizeWaits, which
  // then places the waits for these MMAs in the stages.
  pm.addPass(createFormStages({.beforeWaits = true}));
  // MinimizeWaits runs before the warp pipeline pass Prefetch: Prefetch moves copies, commits and waits to other
  // iterations, and sets the number of groups that each moved wait leaves in flight. MinimizeWaits runs before shared
  // memory is allocated, because a buffer is live until a wait has completed its copies. MinimizeWaits runs before
  // stages of warp pipelines become regions, because results in flight cannot cross region boundaries.
  pm.addPass(createMinimizeWaits());
  // The second run of FormStages forms stages in all other loops. FormStages runs before WarpPipelinePartition, which
  // reads the stage markers that FormStages inserts. The second run is after MinimizeWaits, because it moves waits
  // between stages.
  pm.addPass(createFormStages());
  // The warp pipeline passes run after FormStages, so that they find all stages. WarpPipelinePasses.cpp gives the
  // reasons for the order of these passes. WarpPipelineLowering runs before InsertBarriers, because a barrier inside a
  // stage would break the alternation of the two warpgroups. InsertBarriers inserts no barriers for accesses that
  // WarpPipelineLowering has ordered.
  addWarpPipelinePasses(pm);
  // InsertBarriers runs after the allocation of shared memory: hazards are between accesses of the same bytes, so the
  // offsets of all tiles must be known. No later pass may move a memory access across a barrier.
  pm.addPass(createInsertBarriers());
  // InsertProxyFences runs last, because it requires all barriers. If a barrier orders a store before an access through
  // the async proxy, InsertProxyFences inserts a fence before this barrier.
  pm.addPass(createInsertProxyFences());
}

void buildLanePipeline(OpPassManager &pm) {
  // ChooseAccesses runs before loops become branches and tensors become registers, because its address analysis
  // requires structured loops and tensor values.
  pm.addPass(createChooseAccesses());
  // PlaceDescriptors runs after all passes that duplicate or remove operations. PlaceDescriptors runs before
  // OutlineWorkers, because it needs the lists of values that workers of hk.warp_specialize capture.
  pm.addPass(createPlaceDescriptors());
  // OutlineWorkers runs after ChooseAccesses and PlaceDescriptors, whose analyses propagate properties of addresses
  // into workers. OutlineWorkers runs before any pass that reads a function's number of warps, because it creates a
  // function for each worker.
  pm.addPass(createOutlineWorkers());
  // AllocateRecords runs after OutlineWorkers, which determines the number of warps of a block. AllocateRecords runs
  // before ConvertHkToLane, which requires the final size of shared memory.
  pm.addPass(createAllocateRecords());
  // GuardLastWaits runs after all passes that analyze loops, because these passes would not find a loop inside the
  // scf.if that GuardLastWaits creates.
  pm.addPass(createGuardLastWaits());
  // FuseWgmma runs after all passes that count wgmma groups or search for wgmmas. FuseWgmma runs after OutlineWorkers,
  // because FuseWgmma renumbers the wgmma groups of each function separately. FuseWgmma runs before loops become
  // branches, because only consecutive wgmmas of one IR block are fused.
  pm.addPass(createFuseWgmma());
  // ConvertLoopsToBranches runs before ConvertHkToLane, so that ConvertHkToLane finds only block arguments, no
  // loop-carried tensors.
  pm.addPass(createConvertLoopsToBranches());
  // ConvertHkToLane converts all tensors to registers in one dialect conversion.
  pm.addPass(createConvertHkToLanePass(createTargetLowering));
  // JoinPartitions runs before all passes that require the kernel to be the module's only function.
  pm.addPass(createJoinPartitions());
  // EraseUnused runs after ConvertHkToLane, which emits an address and a mask for each register. A vector access uses
  // only the address and mask of its first register. EraseUnused runs for the emulator, too, so that the emulator
  // executes fewer operations.
  pm.addPass(createEraseUnused());
  // CheckIndices runs after EraseUnused, because the assertions that CheckIndices inserts would keep unused values
  // alive.
  pm.addPass(createCheckIndices());
  // ExpandRecords runs after JoinPartitions, because all warps compute the addresses of their profiler records at the
  // entry of the kernel. ExpandRecords runs after CheckIndices, so that CheckIndices checks the user's indices only.
  pm.addPass(createExpandRecords());
  pm.addPass(createConvertProfToLlvmPass(createTargetLowering, createClocks));
  // WriteMessages runs after CheckIndices, because WriteMessages also lowers the assertions that CheckIndices inserts.
  // WriteMessages changes kernels for AMD GPUs only.
  pm.addPass(createWriteMessages());
}

void buildGpuPipeline(OpPassManager &pm, const TargetInfo &target) {
  // The GPU pipeline does not run for the emulator. AmdBackend.cpp and NvidiaBackend.cpp list most passes of the GPU
  // pipeline, with the reasons for the order of these passes.
  const Backend &backend = backendOf(target);
  backend.buildGpuPipeline(pm);
  // RequireExportable runs last: it rejects operations that cannot be translated to LLVM IR for this vendor's GPUs.
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
