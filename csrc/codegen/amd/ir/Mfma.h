//===- Mfma.h - Finds MFMA intrinsics in LLVM IR ----------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_MFMA_H
#define HOCKET_CODEGEN_AMD_IR_MFMA_H

#include "codegen/llvm/LlvmInternals.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace hocket {

/// True if `op` is a call of an MFMA intrinsic.
inline bool isMfma(const llvm::Value &op) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&op);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName().starts_with(llvm_names::kMfmaIntrinsic);
}

inline bool hasMfma(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.getName().starts_with(llvm_names::kMfmaIntrinsic) && !function.use_empty();
  });
}

} // namespace hocket

#endif
