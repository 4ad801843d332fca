//===- LongBlocks.h - Code generation in time linear in a block's length ----------===//
//
// gl.static_range makes blocks of thousands of accesses. What some of LLVM's passes do there takes time that grows with
// the square of that, and gains nothing that would be missed:
//
//   straight-line strength reduction   keeps every product by a multiple of a value as a candidate for all later ones
//   vectorizer of loads and stores     compares accesses in pairs; ours has made vectors of what is one tensor's
//                                      already
//   SLP vectorizer                     compares stores in pairs
//   schedulers of machine code (AMD)   ask of each access whether it may touch the memory of every other one
//
// The first three are left out for such functions. The schedulers work on regions, so regions get an end now and then.
// Functions of ordinary size are left alone.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LONGBLOCKS_H
#define HOCKET_CODEGEN_LONGBLOCKS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
}

namespace hocket {

/// Whether `function` is one that the passes above would take long for.
bool hasLongBlocks(const llvm::Function &function);

/// Marks what has long blocks in `module`, and ends scheduling regions in them. Before code generation.
void shortenLongBlocks(llvm::Module &module);

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
