//===- Pipeline.cpp - The compiler's pass pipelines, with the reason for each position -===//
#include "pipeline/Pipeline.h"

#include "conversion/Passes.h"
#include "conversion/hk_nv_to_nvvm/GuardLastWaits.h"
#include "conversion/hk_nv_to_nvvm/JoinPartitions.h"
#include "conversion/hk_nv_to_nvvm/JoinProducts.h"
#include "conversion/hk_nv_to_nvvm/PlaceDescriptors.h"
#include "conversion/hk_to_llvm/Passes.h"
#include "conversion/lane_to_llvm/RequireExportable.h"
#include "conversion/lane_to_nvvm/LaneToNvvm.h"
#include "conversion/lane_to_nvvm/PrefetchDescriptors.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "conversion/prof_to_llvm/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "transforms/Passes.h"
#include "transforms/prof/Passes.h"

using namespace mlir;

namespace hocket {

void buildTilePipeline(OpPassManager &pm) {
  // First: all other passes require a linear map for every tensor.
  pm.addPass(createDecideLayouts());
  pm.addPass(createRequireDecidedLayouts());
  // Directly after layouts determine which elements warps share, and while each branch still has the structure of the
  // source.
  pm.addPass(createCheckWarpBranches());
  // Early, because this pass counts the partitions that use a barrier and reports errors at their lines. Before warp
  // pipelines, which use the barrier numbers that it leaves free.
  pm.addPass(createNumberBarriers());
  // Profiler passes. They run while each line of the source is one operation: copies of a record share its number.
  pm.addPass(createRecordStages());
  pm.addPass(createNumberSites());
  // Before the next pass, which rejects conversions between blocks that cannot wait for each other.
  pm.addPass(createPrepareScans());
  // Before the clean-up, which merges the conversions that both passes insert with others.
  pm.addPass(createSplitClusterReductions());
  // Before the clean-up, which removes loops without iterations and folds the indices of the copies.
  pm.addPass(createUnrollLoops());
  // Early: the front end emits constants, splats and address arithmetic at each use; folding them here is cheaper than
  // lowering them once per register. Conversions that cancel must be gone before scratch space is counted.
  pm.addPass(createCanonicalizerPass());
  // Before CSE, which would take quadratic time on equal reads.
  pm.addPass(createMergeEqualReads());
  pm.addPass(createCSEPass());
  // After the clean-up, which removes conversions; before shared memory is allocated, which the mbarriers and tiles
  // need.
  pm.addPass(createExpandClusterBarriers());
  // Before prefetching, which distributes copies with their commits and waits over iterations and counts them itself.
  // Before shared memory is allocated, because a buffer is live until its copies have been waited for. Before stages of
  // warp pipelines become regions, because results in flight cannot cross region boundaries.
  pm.addPass(createMinimizeWaits());
  // Before shared memory is allocated, which depends on which buffers are live in overlapping stages. After the
  // clean-up: what remains between stages must be there, and layout conversions that a stage must not contain have been
  // removed.
  pm.addPass(createWarpPipelinePartition());
  // After the clean-up, which merges repeated expressions; before shared memory is allocated, because buffers may get
  // several stages. After the partition, whose stages already define what overlaps.
  pm.addPass(createPrefetch());
  // After all passes that remove or merge buffers and layout conversions: offsets are final.
  pm.addPass(createAllocateShared());
  // After allocation, because its fences depend on byte ranges. Before InsertBarriers, because a barrier inserted
  // inside a stage would break the alternation of the groups: InsertBarriers leaves alone what this pass has ordered.
  pm.addPass(createWarpPipelineLowering());
  // Late: hazards are between byte ranges, so the offsets must be known. No later pass may move memory accesses.
  pm.addPass(createInsertBarriers());
  // Last: a fence precedes the barrier that orders a store before a read through another proxy.
  pm.addPass(createInsertProxyFences());
}

void buildLanePipeline(OpPassManager &pm) {
  // While loops are structured and tensors whole, because address analysis relies on both.
  pm.addPass(createChooseAccesses());
  // After all passes that copy or drop operations; while workers still list their captures.
  pm.addPass(createPlaceDescriptorsPass());
  // After ChooseAccesses and PlaceDescriptors, because facts about addresses propagate into workers; before any pass
  // reads a function's number of warps.
  pm.addPass(createOutlineWorkers());
  // After the number of warps of a block is known; before tiles become registers, which makes shared memory final.
  pm.addPass(createAllocateRecords());
  // After all other passes that expect loops: a condition around a loop would hide it from them.
  pm.addPass(createGuardLastWaitsPass());
  // After all passes that count wgmma groups or search for wgmmas; workers are functions by now, so that each has its
  // own groups. Before loops are gone, because only consecutive wgmmas of one IR block are fused.
  pm.addPass(createJoinProductsPass());
  // Before tensors become registers: a tensor that a loop carries is then a block argument like any other.
  pm.addPass(createConvertLoopsToBranches());
  // A single pass: tiles become registers in one dialect conversion.
  pm.addPass(createConvertHkToLlvmPass());
  // Before any pass that expects the kernel to be the only function.
  pm.addPass(createJoinPartitionsPass());
  // After conversion, because addresses and masks of registers that a vector access skipped are now dead. Before GPU
  // and emulator diverge, for both.
  pm.addPass(createEraseUnused());
  // Late, because its assertions would keep unused values alive.
  pm.addPass(createCheckIndices());
  // After all warps run one function, at whose entry they compute the addresses of their records; after the index
  // checks, which apply to the user's indices only.
  pm.addPass(createExpandRecords());
  pm.addPass(createConvertProfToLlvmPass());
  // After the checks, whose assertions also send messages. On AMD GPUs only; before the fork, so that the emulator can
  // execute the result.
  pm.addPass(createWriteMessages());
}

void buildGpuPipeline(OpPassManager &pm, const TargetInfo &target) {
  // The emulator uses the module as it is before this pipeline.
  if (target.vendor == Vendor::Nvidia) {
    // For GPUs only; before operations that LLVM IR lacks are expanded, so that copies can still be recognized.
    pm.addPass(createPrefetchDescriptorsPass());
    pm.addPass(createPackCarried());
    // Last: expands operations that LLVM IR lacks.
    pm.addPass(createConvertLaneToNvvmPass());
    pm.addPass(createRequireExportablePass(target));
    return;
  }
  OpPassManager &function = pm.nest<LLVM::LLVMFuncOp>();
  // First: the pass recognizes the fences of barriers by their scope, and splits fences of both memories in two, so
  // that the next pass can insert a wait for each memory separately.
  function.addPass(createLeaveCopiesInFlight());
  // While masked accesses are single operations, and atomics are not yet split into fences and accesses.
  function.addPass(createShareBranches());
  // Before lane atomics are expanded: a release then becomes a fence and an operation that is expanded later.
  function.addPass(createWaitAtReleases());
  // Copies are counted along the blocks of the CFG: before predicates become branches. After WaitAtReleases has
  // inserted the waits of fences, because the fences that this pass inserts need none.
  function.addPass(createExpandAsyncGroups());
  // Last: expands operations that LLVM IR lacks.
  function.addPass(createConvertLaneToRocdl());
  // Last, as for NVIDIA: the remaining operations are exported to LLVM IR unchanged.
  pm.addPass(createRequireExportablePass(target));
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
