//===- PassChoice.h - Which passes of code generation run ---------------------------===//
#ifndef HOCKET_CODEGEN_PASSCHOICE_H
#define HOCKET_CODEGEN_PASSCHOICE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
}

namespace hocket {

/// Chooses the passes of code generation: all but
///   - straight-line strength reduction where there are long blocks, many products or, for AMD GPUs, hardly any of
///     one value,
///   - for AMD GPUs, what merges values once more after it: a fourteenth of LLVM's time. Without, the 36 loops that
///     benchmarks/isa.py counts have from 2 instructions less to one more, and the kernels as many,
///   - for kernels that multiply matrices on CDNA, runs of passes that others repeat: 7 to 9 % of LLVM's time. No loop
///     that benchmarks/isa.py counts changes without,
///   - what takes long, when nobody waits for the code any more.
/// Belongs to the context of one module.
class PassChoice : public llvm::OptPassGate {
public:
  explicit PassChoice(const llvm::Module &module);
  ~PassChoice() override;
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef what) const override;
  bool isEnabled() const override;

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &before;
  bool isAmd;
  bool multiplies;
  mutable llvm::StringMap<int> runsBefore; ///< by pass and function
  bool reducesStrength;
};

} // namespace hocket

#endif
