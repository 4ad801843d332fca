//===- LongBlocks.h - Keeps code generation linear in a basic block's length ----------===//
//
// gl.static_range leads to basic blocks with thousands of memory accesses. Some LLVM passes take quadratic time for
// such blocks, and gain little:
//
//   straight-line strength reduction   keeps each multiplication of a value as a candidate for all later ones
//   load/store vectorizer              compares accesses in pairs; the lowering has vectorized accesses already
//   SLP vectorizer                     compares stores in pairs
//   machine schedulers (AMD)           check for aliases between all pairs of accesses
//
// The first three passes are skipped for functions with such blocks. For the machine schedulers, long scheduling
// regions are split. Functions without long basic blocks are unchanged.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LONGBLOCKS_H
#define HOCKET_CODEGEN_LLVM_LONGBLOCKS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace hocket {

/// True if passes with quadratic cost would take long for `function`: it has a long basic block or very many
/// instructions.
bool hasLongBlocks(const llvm::Function &function);

/// Marks functions of `module` that have long basic blocks and, for AMD GPUs, splits the scheduling regions of these
/// blocks. Must be called before code generation.
void shortenLongBlocks(llvm::Module &module);

} // namespace hocket

#endif
