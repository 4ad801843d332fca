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

using namespace mlir;

namespace hocket {

void buildTilePipeline(OpPassManager &pm) {
  // DecideLayouts runs first: all other passes require a linear map for every tensor.
  pm.addPass(createDecideLayouts());
  pm.addPass(createRequireDecidedLayouts());
  // CheckWarpBranches runs as soon as layouts determine which elements warps share, while each branch still has the
  // structure of the source.
  pm.addPass(createCheckWarpBranches());
  // NumberBarriers runs early, because it counts the partitions that use a barrier and reports errors at their lines.
  // It runs before warp pipelines, which use the barrier numbers that it leaves free.
  pm.addPass(createNumberBarriers());
  // The profiler's passes run while each line of the source is one operation: copies of a record share its number.
  pm.addPass(createRecordStages());
  pm.addPass(createNumberSites());
  // PrepareScans runs before the next pass, which rejects conversions between blocks that cannot wait for each other.
  pm.addPass(createPrepareScans());
  // SplitClusterReductions runs before the clean-up, which merges the conversions that both passes insert with others.
  pm.addPass(createSplitClusterReductions());
  // UnrollLoops runs before the clean-up, which removes loops without iterations and folds the indices of the copies.
  pm.addPass(createUnrollLoops());
  // The clean-up runs early: the front end emits constants, splats and address arithmetic at each use; folding them
  // here is cheaper than lowering them once per register. Conversions that cancel must be gone before scratch space is
  // counted.
  pm.addPass(createCanonicalizerPass());
  // MergeEqualReads runs before CSE, which would take quadratic time on equal reads.
  pm.addPass(createMergeEqualReads());
  pm.addPass(createCSEPass());
  // ExpandClusterBarriers runs after the clean-up, which removes conversions, and before shared memory is allocated,
  // which the mbarriers and tiles need.
  pm.addPass(createExpandClusterBarriers());
  // MinimizeWaits runs before prefetching, which distributes copies with their commits and waits over iterations and
  // counts them itself. It runs before shared memory is allocated, because a buffer is live until its copies have been
  // waited for. It runs before stages of warp pipelines become regions, because results in flight cannot cross region
  // boundaries.
  pm.addPass(createMinimizeWaits());
  // WarpPipelinePartition runs before shared memory is allocated, which depends on the buffers that are live in
  // overlapping stages. It runs after the clean-up, which removes dead operations between stages, and layout
  // conversions that a stage must not contain.
  pm.addPass(createWarpPipelinePartition());
  // Prefetch runs after the clean-up, which merges repeated expressions, and before shared memory is allocated, because
  // buffers may get several stages. It runs after the partition, whose stages already define what overlaps.
  pm.addPass(createPrefetch());
  // AllocateMemory runs after all passes that remove or merge buffers and layout conversions: offsets are final.
  pm.addPass(createAllocateMemory());
  // WarpPipelineLowering runs after allocation, because its fences depend on byte ranges. It runs before
  // InsertBarriers, because a barrier inside a stage would break the alternation of the groups: InsertBarriers skips
  // accesses that this pass has ordered.
  pm.addPass(createWarpPipelineLowering());
  // InsertBarriers runs late: hazards are between byte ranges, so the offsets must be known. No later pass may move
  // memory accesses.
  pm.addPass(createInsertBarriers());
  // InsertProxyFences runs last: a fence precedes the barrier that orders a store before a read through another proxy.
  pm.addPass(createInsertProxyFences());
}

void buildLanePipeline(OpPassManager &pm) {
  // ChooseAccesses runs while loops are structured and tensors whole, because address analysis relies on both.
  pm.addPass(createChooseAccesses());
  // PlaceDescriptors runs after all passes that copy or drop operations, while workers still list their captures.
  pm.addPass(createPlaceDescriptors());
  // OutlineWorkers runs after ChooseAccesses and PlaceDescriptors, because facts about addresses propagate into
  // workers. It runs before any pass reads a function's number of warps.
  pm.addPass(createOutlineWorkers());
  // AllocateRecords runs after the number of warps of a block is known, and before tiles become registers, which makes
  // shared memory final.
  pm.addPass(createAllocateRecords());
  // GuardLastWaits is the last pass that expects loops: a condition around a loop would hide the loop from other
  // analyses.
  pm.addPass(createGuardLastWaits());
  // FuseWgmma runs after all passes that count wgmma groups or search for wgmmas; workers are functions by now, so
  // that each has its own groups. It runs before loops are gone, because only consecutive wgmmas of one IR block are
  // fused.
  pm.addPass(createFuseWgmma());
  // ConvertLoopsToBranches runs before tensors become registers: a tensor that a loop carries is then a block argument
  // like any other.
  pm.addPass(createConvertLoopsToBranches());
  // ConvertHkToLane is a single pass: tiles become registers in one dialect conversion.
  pm.addPass(createConvertHkToLanePass(createTargetLowering));
  // JoinPartitions runs before any pass that expects the kernel to be the only function.
  pm.addPass(createJoinPartitions());
  // EraseUnused runs after the conversion, because addresses and masks of registers that a vector access skipped are
  // now dead. It runs before GPU and emulator diverge, for both.
  pm.addPass(createEraseUnused());
  // CheckIndices runs late, because its assertions would keep unused values alive.
  pm.addPass(createCheckIndices());
  // ExpandRecords runs after all warps run one function, at whose entry they compute the addresses of their records. It
  // runs after the index checks, which apply to the user's indices only.
  pm.addPass(createExpandRecords());
  pm.addPass(createConvertProfToLlvmPass(createTargetLowering, createClocks));
  // WriteMessages runs after the checks, whose assertions also send messages. It applies to AMD GPUs only, and runs
  // before the fork, so that the emulator can execute the result.
  pm.addPass(createWriteMessages());
}

void buildGpuPipeline(OpPassManager &pm, const TargetInfo &target) {
  // The emulator uses the module as it is before this pipeline. Each back end lists its passes, with the reasons for
  // their order.
  const Backend &backend = backendOf(target);
  backend.buildGpuPipeline(pm);
  // RequireExportable runs last: the remaining operations are exported to LLVM IR unchanged.
  SmallVector<ExportNames> others;
  for (const Backend *other : allBackends())
    if (other != &backend)
      others.push_back(other->exported);
  pm.addPass(createRequireExportablePass(infoOf(target.vendor).label, backend.exported, others));
}

void registerPipelines() {
  PassPipelineRegistration<>("hocket-tile-pipeline", "hk -> hk: clean up, place shared memory, insert barriers",
                             buildTilePipeline);
  PassPipelineRegistration<>("hocket-lane-pipeline", "hk -> lane form", buildLanePipeline);
  for (const TargetInfo &target : allTargets())
    PassPipelineRegistration<>("hocket-gpu-pipeline-" + std::string(target.name),
                               "lane form -> LLVM dialect for " + std::string(target.name),
                               [&target](OpPassManager &pm) { buildGpuPipeline(pm, target); });
}

} // namespace hocket
