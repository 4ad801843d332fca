//===- AmdBackend.cpp - From the lane form to code objects ---------------------------===//
#include "pipeline/Backend.h"

#include "conversion/hk_amd_to_rocdl/RocdlTargetLowering.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace hocket {

static void buildGpuPipeline(mlir::OpPassManager &pm) {
  mlir::OpPassManager &function = pm.nest<mlir::LLVM::LLVMFuncOp>();
  // LeaveCopiesInFlight runs first, because it recognizes the fences of barriers by their scope. LeaveCopiesInFlight
  // also splits each fence of LDS and global memory in two, so that the next pass can insert a separate wait for each
  // memory.
  function.addPass(createLeaveCopiesInFlight());
  // ShareBranches runs before masked accesses and atomics are split into several operations.
  function.addPass(createShareBranches());
  // WaitAtReleases runs before lane atomics are expanded: a release then becomes a fence and an operation that is
  // expanded later.
  function.addPass(createWaitAtReleases());
  // ExpandAsyncGroups counts copies along the blocks of the CFG, so it runs before predicates become branches.
  // ExpandAsyncGroups inserts fences that need no waits, so it runs after WaitAtReleases, which inserts waits at
  // fences.
  function.addPass(createExpandAsyncGroups());
  // ConvertLaneToRocdl runs last: it expands all operations that LLVM IR lacks.
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
