//===- LlvmTargets.h - Which of LLVM's back ends this process has -----------------===//
#ifndef HOCKET_CODEGEN_LLVMTARGETS_H
#define HOCKET_CODEGEN_LLVMTARGETS_H

namespace hocket {

/// Registers LLVM's back ends for our GPUs and for the host, once. LLVM's registry has no lock, so nothing else may
/// register, and whoever looks a target up calls this first.
void registerLlvmTargets();

} // namespace hocket

#endif
