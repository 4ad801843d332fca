//===- Backend.h - The steps of a compilation that depend on the vendor ---------------===//
//
// A back end holds the passes, the artifacts and the code generation of one vendor's GPUs. To support a new vendor, add
// a file like NvidiaBackend.cpp and an entry to the list in Backends.cpp. Differences between GPUs of one vendor are
// fields of TargetInfo.
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

  /// Creates the vendor's part of the lowering from tiles to the lane form.
  std::unique_ptr<TargetLowering> (*createTargetLowering)(const TargetInfo &target);
  /// Creates the object that emits clock reads for the profiler.
  std::unique_ptr<Clocks> (*createClocks)();
  /// True if kernels write printed text into host memory (hocket-write-messages).
  bool writesMessages;

  /// Adds the passes that lower the lane form to dialects that export to LLVM IR.
  void (*buildGpuPipeline)(mlir::OpPassManager &pm);
  /// The dialect and the intrinsics that only this vendor's code generator accepts.
  ExportNames exported;

  /// The artifacts that are the assembly text and the binary for the driver.
  Artifact assembly, machineCode;
  /// Assembles the text into machine code. `assembleStep` is the step's name in a trace of the compilation.
  llvm::Expected<std::string> (*assemble)(llvm::StringRef assembly, const CodegenOptions &options);
  const char *assembleStep;
  /// True if the assembler belongs to the vendor's toolkit. If the toolkit is not installed, the driver assembles the
  /// text.
  bool usesInstalledAssembler;
};

extern const Backend kNvidiaBackend, kAmdBackend;

std::span<const Backend *const> allBackends();
const Backend &backendOf(const TargetInfo &target);

// Factories for passes that read the target from the module.
std::unique_ptr<TargetLowering> createTargetLowering(const TargetInfo &target);
std::unique_ptr<Clocks> createClocks(const TargetInfo &target);

} // namespace hocket

#endif
