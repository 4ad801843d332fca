//===- Pipeline.cpp - The compiler's table of contents -------------------------------===//
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
  // First: no other pass expects a tensor without a linear map.
  pm.addPass(createDecideLayouts());
  pm.addPass(createRequireDecidedLayouts());
  // As soon as it is known which elements warps share; while each branch is as the source has it.
  pm.addPass(createCheckWarpBranches());
  // Likewise: it counts the partitions that use a barrier, and points at their lines. Before warp pipelines, which take
  // the numbers that it leaves.
  pm.addPass(createNumberBarriers());
  // The profiler's. While each line of the source is one operation: copies of a record share its number.
  pm.addPass(createRecordStages());
  pm.addPass(createNumberSites());
  // Before the next pass, which refuses conversions between blocks where these cannot wait for each other.
  pm.addPass(createPrepareScans());
  // Before the clean-up, which merges the conversions that both make with others.
  pm.addPass(createSplitClusterReductions());
  // Before the clean-up, which drops loops without iterations and computes the indices of the copies.
  pm.addPass(createUnrollLoops());
  // Early: the front end emits constants, splats and address arithmetic anew at each use; folding them here is cheaper
  // than lowering them once per register. Conversions that cancel must be gone before scratch space is counted.
  pm.addPass(createCanonicalizerPass());
  // Before the next, which would take quadratic time for them.
  pm.addPass(createMergeEqualReads());
  pm.addPass(createCSEPass());
  // After the clean-up, which removes conversions; before shared memory is placed, which the mbarriers and tiles need.
  pm.addPass(createExpandClusterBarriers());
  // Before prefetching, which needs the commits and waits of the copies that it spreads over iterations, and counts
  // these itself; before shared memory is placed, because a buffer is in use until its copies have been waited for; and
  // before stages of warp pipelines are regions, which results in flight do not leave.
  pm.addPass(createMinimizeWaits());
  // Before shared memory is placed, which must know what is in use together; after the clean-up, which leaves between
  // stages what has a reason to be there, and removes the layout conversions that a stage must not hold.
  pm.addPass(createWarpPipelinePartition());
  // After the clean-up, which leaves one operation for what the source says twice; before shared memory is placed,
  // because buffers may get slots. After the partition, whose stages say already what overlaps.
  pm.addPass(createPrefetch());
  // After everything that removes or merges buffers and layout conversions: offsets are final.
  pm.addPass(createAllocateShared());
  // Its fences are decided by byte ranges, so after the offsets; before barriers are inserted, because an inserted one
  // inside a stage would break the rhythm: what this pass has ordered, the next one leaves alone.
  pm.addPass(createWarpPipelineLowering());
  // Late: hazards are between byte ranges, so the offsets must be known; nothing may move memory accesses afterwards.
  pm.addPass(createInsertBarriers());
  // Last: a fence goes before the barrier that orders a store before a read through another proxy.
  pm.addPass(createInsertProxyFences());
}

void buildLanePipeline(OpPassManager &pm) {
  // While loops are structured and tensors whole: what is known of addresses comes from both.
  pm.addPass(createChooseAccesses());
  // After whatever copies or drops operations; while workers still say what they capture.
  pm.addPass(createPlaceDescriptorsPass());
  // After both, for what is known of addresses passes into workers; before anything asks a function for its warps.
  pm.addPass(createOutlineWorkers());
  // Once it is known how many warps a block has; before tiles become registers, with which shared memory is final.
  pm.addPass(createAllocateRecords());
  // The last that expects loops: a condition around one would hide it from the analyses before.
  pm.addPass(createGuardLastWaitsPass());
  // After everything that counts groups of products, or looks for these; workers are functions, so that each has its
  // own groups. Before loops are gone: only what follows each other in a block is joined.
  pm.addPass(createJoinProductsPass());
  // Before tensors become registers: a tensor that a loop carries is then a block argument like any other.
  pm.addPass(createConvertLoopsToBranches());
  // One pass: tiles become registers in a single dialect conversion.
  pm.addPass(createConvertHkToLlvmPass());
  // Before anything takes the kernel for the only function.
  pm.addPass(createJoinPartitionsPass());
  // After it: addresses and masks of registers that a vector access skipped. Before GPU and emulator part, for both.
  pm.addPass(createEraseUnused());
  // Late: its assertions would keep alive what is unused.
  pm.addPass(createCheckIndices());
  // Once all warps run one function, at whose beginning they learn where their records go; after the checks of indices,
  // which are about the user's.
  pm.addPass(createExpandRecords());
  pm.addPass(createConvertProfToLlvmPass());
  // After the checks, whose assertions, too, say what is wrong. On AMD GPUs only; before the fork, so that the emulator
  // can run what it writes.
  pm.addPass(createWriteMessages());
}

void buildGpuPipeline(OpPassManager &pm, const TargetInfo &target) {
  // The emulator takes the module before this.
  if (target.vendor == Vendor::Nvidia) {
    // On GPUs only; before what LLVM IR cannot say is expanded, so that copies can be recognised.
    pm.addPass(createPrefetchDescriptorsPass());
    pm.addPass(createPackCarried());
    // The very end: what LLVM IR cannot say.
    pm.addPass(createConvertLaneToNvvmPass());
    pm.addPass(createRequireExportablePass(target));
    return;
  }
  OpPassManager &function = pm.nest<LLVM::LLVMFuncOp>();
  // First: it tells the fences of barriers by their scope, and splits those of both memories into two, each of which
  // the next pass makes wait for its own memory.
  function.addPass(createLeaveCopiesInFlight());
  // While masked accesses are operations, and an atomic one is not a fence and another yet.
  function.addPass(createShareBranches());
  // Before atomics of a lane are expanded: a release becomes a fence and an operation that is still to be expanded.
  function.addPass(createWaitAtReleases());
  // Copies are counted along the blocks of the program: before predicates become branches. After the fences have got
  // their waits, for the fences that this pass adds need none.
  function.addPass(createExpandAsyncGroups());
  // The very end: what LLVM IR cannot say.
  function.addPass(createConvertLaneToRocdl());
  // Last, as for NVIDIA: what is left goes to LLVM as it is.
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
