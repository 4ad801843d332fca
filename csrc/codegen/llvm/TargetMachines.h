//===- TargetMachines.h - One llvm::TargetMachine per thread and target -----------===//
#ifndef HOCKET_CODEGEN_LLVM_TARGETMACHINES_H
#define HOCKET_CODEGEN_LLVM_TARGETMACHINES_H

#include "codegen/Codegen.h"
#include "llvm/Target/TargetMachine.h"

namespace hocket {

/// The calling thread's TargetMachine for `options`. Making one costs more than compiling a small kernel with it, so
/// it is kept until the thread ends.
llvm::Expected<llvm::TargetMachine *> getTargetMachine(const CodegenOptions &options);

/// Calls runLlvm (LlvmErrors.h) for work with the calling thread's TargetMachine, which is abandoned if LLVM is
/// stopped.
llvm::Error runLlvm(const CodegenOptions &options, llvm::Module &module, llvm::function_ref<void()> work);

} // namespace hocket

#endif
