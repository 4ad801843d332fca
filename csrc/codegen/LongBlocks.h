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

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace hocket {

/// Whether `function` is one that the passes above would take long for.
bool hasLongBlocks(const llvm::Function &function);

/// Marks what has long blocks in `module`, and ends scheduling regions in them. Before code generation.
void shortenLongBlocks(llvm::Module &module);

} // namespace hocket

#endif
