//===- AmdBackend.cpp - From the lane form to code objects ---------------------------===//
#include "pipeline/Backend.h"

#include "conversion/hk_amd_to_rocdl/RocdlTargetLowering.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace hocket {

static void buildGpuPipeline(mlir::OpPassManager &pm) {
  mlir::OpPassManager &function = pm.nest<mlir::LLVM::LLVMFuncOp>();
  // LeaveCopiesInFlight runs first: it recognizes the fences of barriers by their scope. LeaveCopiesInFlight also
  // splits fences of both LDS and global memory in two, so that the next pass can insert a wait for each memory
  // separately.
  function.addPass(createLeaveCopiesInFlight());
  // ShareBranches runs while masked accesses are single operations, and atomics are not yet split into fences and
  // accesses.
  function.addPass(createShareBranches());
  // WaitAtReleases runs before lane atomics are expanded: a release then becomes a fence and an operation that is
  // expanded later.
  function.addPass(createWaitAtReleases());
  // ExpandAsyncGroups counts copies along the blocks of the CFG, so it runs before predicates become branches.
  // ExpandAsyncGroups runs after WaitAtReleases, which inserts waits at fences, because the fences that
  // ExpandAsyncGroups inserts need no waits.
  function.addPass(createExpandAsyncGroups());
  // ConvertLaneToRocdl runs last and expands operations that LLVM IR lacks.
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
