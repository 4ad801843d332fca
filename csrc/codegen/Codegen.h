//===- Codegen.h - LLVM IR becomes machine code -----------------------------------===//
//
// The public face of this folder. A kernel's way from here on:
//
//   NVIDIA   llvm::Module --optimize--> llvm::Module --emitAssembly--> PTX --ptxToCubin--> cubin
//   AMD      llvm::Module --optimize--> llvm::Module --emitAssembly--> ISA --emitCodeObject--> hsaco
//
// The text in the middle is what users read in `kernel.asm[...]` and exactly what the binary is made from.
// Every function may be called from several threads at once, each with its own llvm::LLVMContext. What LLVM refuses is
// returned as an error; of one that is LlvmStopped see LlvmErrors.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_CODEGEN_H
#define HOCKET_CODEGEN_CODEGEN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace hocket {

struct CodegenOptions {
  /// A name of target/TargetInfo.h: "sm_90a", "gfx950".
  std::string target;
};

/// Optimises `module` in place, as -O3 would for one GPU kernel. Sets the module's triple and data layout first.
llvm::Error optimize(llvm::Module &module, const CodegenOptions &options);

/// Generates PTX or AMD ISA text. Leaves `module` valid but lowered: it cannot be emitted a second time.
llvm::Expected<std::string> emitAssembly(llvm::Module &module, const CodegenOptions &options);

/// Assembles AMD ISA text and links it into the code object (ELF) that the HIP runtime loads.
llvm::Expected<std::string> emitCodeObject(llvm::StringRef isa, const CodegenOptions &options);

/// Assembles PTX for `target`: in process through nvJitLink, else with a `ptxas` subprocess. The error carries the
/// assembler's log. `lineInfo` keeps the source lines that the PTX holds for profilers and debuggers.
llvm::Expected<std::string> ptxToCubin(llvm::StringRef ptx, llvm::StringRef target, bool lineInfo = true);

/// Which assembler ptxToCubin would use for `ptx`: "nvJitLink 13.0 (path)", "ptxas (path)" or "" when there is none, in
/// which case a GPU host gives the PTX to the driver instead.
std::string cubinAssemblerName(llvm::StringRef ptx = "");

/// Where libnvJitLink and ptxas are searched before the system's places.
struct CudaToolchain {
  std::vector<std::string> folders; ///< NVIDIA's pip packages next to PyTorch, say
  int newestMajor = 0;              ///< major CUDA version of the driver; 0 without one: any
};
void setCudaToolchain(CudaToolchain toolchain);

/// Starts to search and load the assembler in another thread, so that it is there when ptxToCubin needs it.
/// finishPrefetch must be called before the process exits: NVIDIA's library is torn down then, whoever still uses it.
void prefetchCubinAssembler();
void finishPrefetch();

} // namespace hocket

#endif
