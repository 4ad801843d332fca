//===- Codegen.h - Compiles LLVM IR to machine code ---------------------------------===//
//
// The public interface of this folder. A kernel passes through these functions:
//
//   NVIDIA   llvm::Module --optimize--> llvm::Module --emitAssembly--> PTX --ptxToCubin--> cubin
//   AMD      llvm::Module --optimize--> llvm::Module --emitAssembly--> ISA --emitCodeObject--> hsaco
//
// Users read the assembly text as `kernel.asm[...]`. The cubin or hsaco binary is assembled from exactly the assembly
// text that users read. Every function may be called from several threads at once, each with its own llvm::LLVMContext.
// Each function returns the errors that LLVM reports. A fatal error of LLVM is returned as LlvmStopped
// (llvm/LlvmErrors.h).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_CODEGEN_H
#define HOCKET_CODEGEN_CODEGEN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace hocket {

struct CodegenOptions {
  /// Name of a target (target/TargetInfo.h), such as "sm_90a" or "gfx950".
  std::string target;
  /// Names of the passes to skip, from codegenPassNames(); "all" skips all of Hocket's passes. Passes are skipped to
  /// compare machine code with and without a pass, or to find the pass that miscompiles a kernel.
  std::vector<std::string> skippedPasses = {};

  bool skips(llvm::StringRef pass) const;
};

/// Returns the names of Hocket's own code generation passes, in order; amd/Passes.cpp explains the position of each
/// pass.
llvm::ArrayRef<llvm::StringLiteral> codegenPassNames();

/// Enables or disables, for the whole process, LLVM's machine verifier after each of Hocket's machine passes. If the
/// verifier finds an invalid function, emitAssembly returns an error.
void setMachineVerifier(bool isOn);

/// Optimizes `module` in place at level -O3. First sets the triple and the data layout of `module`.
llvm::Error optimize(llvm::Module &module, const CodegenOptions &options);

/// Generates PTX or AMD ISA text. emitAssembly changes `module`, so it can be called only once for a module.
llvm::Expected<std::string> emitAssembly(llvm::Module &module, const CodegenOptions &options);

/// Assembles AMD ISA text and links it into the code object (ELF) that the HIP runtime loads.
llvm::Expected<std::string> emitCodeObject(llvm::StringRef isa, const CodegenOptions &options);

/// Assembles PTX for `target`: in this process through nvJitLink, or with a `ptxas` subprocess. If the assembler fails,
/// the returned error contains its log. `lineInfo`: true to keep the source line information of the PTX, for profilers
/// and debuggers.
llvm::Expected<std::string> ptxToCubin(llvm::StringRef ptx, llvm::StringRef target, bool lineInfo = true);

/// Returns the assembler that ptxToCubin would use for `ptx`: "nvJitLink 13.0 (path)" or "ptxas (path)". Returns "" if
/// neither assembler is found; the CUDA driver then assembles the PTX.
std::string cubinAssemblerName(llvm::StringRef ptx = "");

/// Folders in which libnvJitLink and ptxas are searched before the default locations, and the newest version of
/// libnvJitLink to load.
struct CudaToolchain {
  std::vector<std::string> folders; ///< e.g. the folders of NVIDIA's pip packages
  int newestMajor = 0;              ///< the CUDA driver's major version, the newest libnvJitLink to load; 0 if unknown
};
void setCudaToolchain(CudaToolchain toolchain);

/// Starts a thread that finds and loads the PTX assembler before ptxToCubin needs it. finishPrefetch must be called
/// before the process exits: NVIDIA's library runs its cleanup at process exit even while a thread is still loading the
/// library.
void prefetchCubinAssembler();
void finishPrefetch();

} // namespace hocket

#endif
