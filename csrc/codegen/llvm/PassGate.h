//===- PassGate.h - Skips passes of LLVM's code generation --------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_PASSGATE_H
#define HOCKET_CODEGEN_LLVM_PASSGATE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
}

namespace hocket {

/// Skips passes of code generation that cost time and gain nothing:
///   - straight-line strength reduction for functions with long blocks or many multiplications, and on AMD also for
///     functions with few multiplications of one value,
///   - on AMD, the passes that merge equal values after it: 7 % of LLVM's time. Without them the 36 loops that
///     benchmarks/isa.py counts have from 2 instructions fewer to 1 more,
///   - for kernels with MFMA, runs of passes that later passes repeat: 7 to 9 % of LLVM's time. The loops that
///     benchmarks/isa.py counts stay the same,
///   - expensive passes of a compilation that its caller has abandoned.
/// Installed in the context of one module for the lifetime of the object.
class PassGate : public llvm::OptPassGate {
public:
  explicit PassGate(const llvm::Module &module);
  ~PassGate() override;
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef what) const override;
  bool isEnabled() const override;

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &outer; ///< the gate that was installed before
  bool isAmd;
  bool hasMatrixInstructions;
  mutable llvm::StringMap<int> runsBefore; ///< by pass and function
  bool reducesStrength;
};

} // namespace hocket

#endif
