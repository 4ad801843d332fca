//===- TargetMachines.h - One llvm::TargetMachine per thread and target -----------===//
#ifndef HOCKET_CODEGEN_LLVM_TARGETMACHINES_H
#define HOCKET_CODEGEN_LLVM_TARGETMACHINES_H

#include "codegen/Codegen.h"
#include "llvm/Target/TargetMachine.h"

namespace hocket {

/// Returns the calling thread's TargetMachine for `options`. The TargetMachine is kept until the thread ends, because
/// its creation takes longer than the compilation of a small kernel.
llvm::Expected<llvm::TargetMachine *> getTargetMachine(const CodegenOptions &options);

/// Calls runLlvm (LlvmErrors.h) for `work`, which uses the calling thread's TargetMachine. If the result is
/// LlvmStopped, this TargetMachine is never used again.
llvm::Error runLlvm(const CodegenOptions &options, llvm::Module &module, llvm::function_ref<void()> work);

} // namespace hocket

#endif
