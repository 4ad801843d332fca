//===- NvidiaBackend.cpp - From the lane form to cubins ------------------------------===//
#include "pipeline/Backend.h"

#include "conversion/hk_nv_to_nvvm/NvvmTargetLowering.h"
#include "conversion/hk_to_lane/passes/Passes.h"
#include "conversion/lane_to_nvvm/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace hocket {

static void buildGpuPipeline(mlir::OpPassManager &pm) {
  // PrefetchDescriptors does not run for the emulator, which needs no prefetch. PrefetchDescriptors runs before
  // ConvertLaneToNvvm, because PrefetchDescriptors searches for operations that copy through tensor descriptors.
  pm.addPass(createPrefetchDescriptors());
  pm.addPass(createPackCarried());
  // ConvertLaneToNvvm runs last: it expands all operations without a counterpart in LLVM IR.
  pm.addPass(createConvertLaneToNvvm());
}

static llvm::Expected<std::string> assemble(llvm::StringRef assembly, const CodegenOptions &options) {
  return ptxToCubin(assembly, options.target);
}

constexpr Backend kNvidiaBackend{
    .vendor = Vendor::Nvidia,
    .createTargetLowering = createNvvmTargetLowering,
    .createClocks = makeNvvmClocks,
    .writesMessages = false,
    .buildGpuPipeline = buildGpuPipeline,
    .exported = {.dialect = mlir::NVVM::NVVMDialect::getDialectNamespace(), .intrinsics = "llvm.nvvm."},
    .assembly = Artifact::Ptx,
    .machineCode = Artifact::Cubin,
    .assemble = assemble,
    .assembleStep = "assemble",
    .usesInstalledAssembler = true};

} // namespace hocket
