//===- LlvmTargets.h - Registers LLVM's back ends -------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LLVMTARGETS_H
#define HOCKET_CODEGEN_LLVM_LLVMTARGETS_H

namespace hocket {

/// Registers LLVM's back ends for NVIDIA GPUs, AMD GPUs and the host; calls after the first one have no effect. LLVM's
/// registry has no lock, so no other code may register targets, and this function must be called before a target is
/// looked up.
void registerLlvmTargets();

} // namespace hocket

#endif
