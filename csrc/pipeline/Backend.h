//===- Backend.h - The steps of a compilation that depend on the vendor ---------------===//
//
// A Backend contains the pass pipeline, the artifacts and the code generation functions for the GPUs of one vendor. To
// support a new vendor, add a file like NvidiaBackend.cpp and an entry to the list in Backends.cpp. Differences between
// GPUs of one vendor are fields of TargetInfo.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PIPELINE_BACKEND_H
#define HOCKET_PIPELINE_BACKEND_H

#include "codegen/Codegen.h"
#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "conversion/lane_to_llvm/RequireExportable.h"
#include "conversion/prof_to_llvm/Clocks.h"
#include "mlir/Pass/PassManager.h"
#include "pipeline/Compile.h"
#include "target/Vendors.h"

#include <memory>
#include <span>

namespace hocket {

struct Backend {
  Vendor vendor;

  /// Creates the vendor's TargetLowering, which the lowering from tiles to the lane form calls.
  std::unique_ptr<TargetLowering> (*createTargetLowering)(const TargetInfo &target);
  /// Creates the object that emits operations that read the GPU's clocks, for the profiler.
  std::unique_ptr<Clocks> (*createClocks)();
  /// True if kernels write the values to print into host memory, because the driver has no printf
  /// (hocket-write-messages).
  bool writesMessages;

  /// Adds the passes that lower the lane form to dialects with a translation to LLVM IR.
  void (*buildGpuPipeline)(mlir::OpPassManager &pm);
  /// Names of the dialect and of the intrinsics that only this vendor's LLVM back end accepts.
  ExportNames exported;

  /// `assembly` is the artifact with the assembly text, `machineCode` the artifact with the binary for the driver.
  Artifact assembly, machineCode;
  /// Assembles `assembly` into machine code. `assembleStep` is the name of this compilation step in a CompileTrace.
  llvm::Expected<std::string> (*assemble)(llvm::StringRef assembly, const CodegenOptions &options);
  const char *assembleStep;
  /// True if `assemble` requires the vendor's toolkit. On machines without the toolkit, the driver assembles the
  /// assembly text.
  bool usesInstalledAssembler;
};

extern const Backend kNvidiaBackend, kAmdBackend;

std::span<const Backend *const> allBackends();
const Backend &backendOf(const TargetInfo &target);

// Functions that passes call to create the objects of the back end for the module's target.
std::unique_ptr<TargetLowering> createTargetLowering(const TargetInfo &target);
std::unique_ptr<Clocks> createClocks(const TargetInfo &target);

} // namespace hocket

#endif
