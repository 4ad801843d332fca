//===- LlvmTargets.h - Registers LLVM's back ends -------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LLVMTARGETS_H
#define HOCKET_CODEGEN_LLVM_LLVMTARGETS_H

namespace hocket {

/// Registers LLVM's back ends for NVIDIA's and AMD's GPUs and for the host, once. LLVM's registry has no lock, so no
/// other code may register targets, and this function must be called before a target is looked up.
void registerLlvmTargets();

} // namespace hocket

#endif
