//===- PassGate.h - Skips passes of LLVM's code generation --------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_PASSGATE_H
#define HOCKET_CODEGEN_LLVM_PASSGATE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
}

namespace hocket {

/// Skips passes of code generation that take time without a benefit:
///   - straight-line strength reduction, for functions with long blocks or many multiplications, and on AMD also for
///     functions in which no value is multiplied several times,
///   - on AMD, the passes that merge equal values after straight-line strength reduction,
///   - for kernels with MFMA, runs of passes that change nothing, or whose changes later passes make, too,
///   - expensive passes, if the caller has abandoned the compilation.
/// A PassGate object installs itself in the LLVMContext of one module, and uninstalls itself when it is destroyed.
class PassGate : public llvm::OptPassGate {
public:
  explicit PassGate(const llvm::Module &module);
  ~PassGate() override;
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef what) const override;
  bool isEnabled() const override;

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &outer; ///< the pass gate that the context had before this one
  bool isAmd;
  bool hasMatrixInstructions;
  mutable llvm::StringMap<int> runsBefore; ///< number of earlier runs, for each pair of pass and function
  bool reducesStrength;
};

} // namespace hocket

#endif
