//===- AmdBackend.cpp - From the lane form to code objects ---------------------------===//
#include "pipeline/Backend.h"

#include "conversion/hk_amd_to_rocdl/RocdlTargetLowering.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace hocket {

static void buildGpuPipeline(mlir::OpPassManager &pm) {
  mlir::OpPassManager &function = pm.nest<mlir::LLVM::LLVMFuncOp>();
  // LeaveCopiesInFlight runs first, because it recognizes the fences of barriers by their sync scope.
  // LeaveCopiesInFlight also splits each fence of both LDS and global memory into two fences, so that WaitAtReleases
  // can insert a separate wait for each memory.
  function.addPass(createLeaveCopiesInFlight());
  // ShareBranches runs before ConvertLaneToRocdl, which splits masked accesses and atomics into several operations.
  function.addPass(createShareBranches());
  // WaitAtReleases runs before ConvertLaneToRocdl expands atomic operations of the lane dialect. WaitAtReleases
  // replaces an atomic operation with release semantics by a fence and a relaxed atomic operation.
  function.addPass(createWaitAtReleases());
  // ExpandAsyncGroups runs before predicates become branches, because it counts the copies in flight along the paths of
  // the CFG. ExpandAsyncGroups runs after WaitAtReleases, because the fences that ExpandAsyncGroups inserts need no
  // waits.
  function.addPass(createExpandAsyncGroups());
  // ConvertLaneToRocdl runs last: it expands all operations without a counterpart in LLVM IR.
  function.addPass(createConvertLaneToRocdl());
}

constexpr Backend kAmdBackend{
    .vendor = Vendor::Amd,
    .createTargetLowering = createRocdlTargetLowering,
    .createClocks = makeRocdlClocks,
    .writesMessages = true,
    .buildGpuPipeline = buildGpuPipeline,
    .exported = {.dialect = mlir::ROCDL::ROCDLDialect::getDialectNamespace(), .intrinsics = "llvm.amdgcn."},
    .assembly = Artifact::Amdgcn,
    .machineCode = Artifact::Hsaco,
    .assemble = emitCodeObject,
    .assembleStep = "assemble and link",
    .usesInstalledAssembler = false};

} // namespace hocket
