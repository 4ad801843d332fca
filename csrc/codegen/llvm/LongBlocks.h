//===- LongBlocks.h - Keeps code generation linear in a basic block's length ----------===//
//
// gl.static_range makes basic blocks of thousands of memory accesses. Some LLVM passes take quadratic time there, for
// little gain:
//
//   straight-line strength reduction   keeps each multiplication of a value as a candidate for all later ones
//   load/store vectorizer              compares accesses in pairs; the lowering has vectorized each tensor's already
//   SLP vectorizer                     compares stores in pairs
//   machine schedulers (AMD)           query for each access whether it may alias each other one
//
// The first three are skipped for such functions. The schedulers work on regions, which are split at intervals.
// Functions of ordinary size are unchanged.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LONGBLOCKS_H
#define HOCKET_CODEGEN_LLVM_LONGBLOCKS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace hocket {

/// True if the passes above would take long for `function`.
bool hasLongBlocks(const llvm::Function &function);

/// Marks functions with long blocks in `module`, and splits scheduling regions in them. Runs before code generation.
void shortenLongBlocks(llvm::Module &module);

} // namespace hocket

#endif
