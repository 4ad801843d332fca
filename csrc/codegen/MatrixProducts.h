//===- MatrixProducts.h - Which kernels for CDNA multiply matrices -------------------===//
#ifndef HOCKET_CODEGEN_MATRIXPRODUCTS_H
#define HOCKET_CODEGEN_MATRIXPRODUCTS_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace hocket {

inline constexpr llvm::StringLiteral kMatrixProductPrefix = "llvm.amdgcn.mfma";

/// Whether a matrix core computes `op`.
inline bool isMatrixProduct(const llvm::Value &op) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&op);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with(kMatrixProductPrefix);
}

inline bool hasMatrixProducts(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.getName().starts_with(kMatrixProductPrefix) && !function.use_empty();
  });
}

} // namespace hocket

#endif
