//===- LlvmTargets.h - Registers LLVM's back ends -------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LLVMTARGETS_H
#define HOCKET_CODEGEN_LLVM_LLVMTARGETS_H

namespace hocket {

/// Registers LLVM's back ends for NVIDIA's and AMD's GPUs and for the host, once. LLVM's registry has no lock: no other
/// code may register, and callers that look a target up call this function first.
void registerLlvmTargets();

} // namespace hocket

#endif
