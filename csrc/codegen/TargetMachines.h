//===- TargetMachines.h - One llvm::TargetMachine per thread and target -----------===//
#ifndef HOCKET_CODEGEN_TARGETMACHINES_H
#define HOCKET_CODEGEN_TARGETMACHINES_H

#include "codegen/Codegen.h"
#include "llvm/Target/TargetMachine.h"

namespace hocket {

/// The calling thread's TargetMachine for `options`. Making one costs more than compiling a small kernel with it, so
/// it is kept until the thread ends.
llvm::Expected<llvm::TargetMachine *> getTargetMachine(const CodegenOptions &options);

} // namespace hocket

#endif
