//===- Codegen.h - Compiles LLVM IR to machine code ---------------------------------===//
//
// The public interface of this folder. A kernel passes through these functions:
//
//   NVIDIA   llvm::Module --optimize--> llvm::Module --emitAssembly--> PTX --ptxToCubin--> cubin
//   AMD      llvm::Module --optimize--> llvm::Module --emitAssembly--> ISA --emitCodeObject--> hsaco
//
// Users read the assembly text as `kernel.asm[...]`. The binary is assembled from exactly the assembly text that users
// read. Every function may be called from several threads at once, each with its own llvm::LLVMContext. Errors of LLVM
// are returned; llvm/LlvmErrors.h explains the errors of type LlvmStopped.
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
  /// Names of codegenPassNames() that are skipped; "all" skips all of them. Skipping passes serves to compare machine
  /// code, and to find the pass that miscompiles a kernel.
  std::vector<std::string> skippedPasses = {};

  bool skips(llvm::StringRef pass) const;
};

/// Names of Hocket's own passes of code generation, in order; amd/Passes.cpp explains their positions.
llvm::ArrayRef<llvm::StringLiteral> codegenPassNames();

/// Enables or disables, for the whole process, LLVM's machine verifier after each of Hocket's machine passes. If the
/// verifier finds an invalid function, emitAssembly returns an error.
void setMachineVerifier(bool isOn);

/// Optimizes `module` in place, as -O3 does for one GPU kernel. Sets the module's triple and data layout first.
llvm::Error optimize(llvm::Module &module, const CodegenOptions &options);

/// Generates PTX or AMD ISA text. emitAssembly changes `module`, so that a second call for the same module is not
/// possible.
llvm::Expected<std::string> emitAssembly(llvm::Module &module, const CodegenOptions &options);

/// Assembles AMD ISA text and links it into the code object (ELF) that the HIP runtime loads.
llvm::Expected<std::string> emitCodeObject(llvm::StringRef isa, const CodegenOptions &options);

/// Assembles PTX for `target`: in this process through nvJitLink, or with a `ptxas` subprocess. The error contains the
/// assembler's log. `lineInfo`: true to keep source lines of the PTX, for profilers and debuggers.
llvm::Expected<std::string> ptxToCubin(llvm::StringRef ptx, llvm::StringRef target, bool lineInfo = true);

/// Returns the assembler that ptxToCubin would use for `ptx`: "nvJitLink 13.0 (path)" or "ptxas (path)". Returns "" if
/// there is none; the CUDA driver then assembles the PTX.
std::string cubinAssemblerName(llvm::StringRef ptx = "");

/// Folders that are searched for libnvJitLink and ptxas before the system's folders.
struct CudaToolchain {
  std::vector<std::string> folders; ///< e.g. the folders of NVIDIA's pip packages
  int newestMajor = 0;              ///< driver's major CUDA version, the upper bound of libnvJitLink's; 0 for no bound
};
void setCudaToolchain(CudaToolchain toolchain);

/// Starts a thread that finds and loads the assembler before ptxToCubin needs it. finishPrefetch must be called before
/// the process exits, because NVIDIA's library is torn down at exit, even while a thread still loads the library.
void prefetchCubinAssembler();
void finishPrefetch();

} // namespace hocket

#endif
