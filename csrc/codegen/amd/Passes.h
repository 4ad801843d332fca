//===- Passes.h - Hocket's passes of AMD code generation, in order ------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_PASSES_H
#define HOCKET_CODEGEN_AMD_PASSES_H

#include "codegen/Codegen.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Module;
class TargetPassConfig;
} // namespace llvm

namespace hocket {

/// Runs those of Hocket's IR passes that must run before LLVM's optimizations.
void runAmdPassesBeforeOptimizations(llvm::Module &module, const CodegenOptions &options);

/// Runs those of Hocket's IR passes that must run between LLVM's optimizations and LLVM's code generation.
void runAmdPassesBeforeCodegen(llvm::Module &module, const CodegenOptions &options);

/// Inserts Hocket's machine passes, and Hocket's IR passes that run directly before instruction selection, into LLVM's
/// pass list.
void insertAmdPasses(llvm::TargetPassConfig &config, const llvm::Module &module, const CodegenOptions &options);

} // namespace hocket

#endif
