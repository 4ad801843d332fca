//===- RematerializeMasks.h - Recomputes masks and addresses at their uses ---------------------===//
//
// On AMD GPUs a mask is a pair of scalar registers, of which a wave has about a hundred, and a masked store is a
// branch. A masked load and store of 64 elements per lane computes 64 masks and 64 addresses before the loads and uses
// them again at the stores:
//
//   %m = icmp slt i32 %i, %n           with %i = or i32 %thread, 256; 64 of these
//   %v = load float, (select %m, ...)
//   ...
//   br i1 %m, label %store, label %next
//
// LLVM keeps all of them live up to the stores, and spills them, and its register allocator takes minutes. This pass
// recomputes masks and addresses at each use, by a few cheap instructions. It also requests the scheduling strategy
// that minimizes registers, because with this number of loads, any order hides their latency.
//
// Why LLVM does not do this: its register allocator only rematerializes single instructions without register operands.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_REMATERIALIZEMASKS_H
#define HOCKET_CODEGEN_AMD_IR_REMATERIALIZEMASKS_H

namespace llvm {
class Function;
class FunctionPass;
class Module;
} // namespace llvm

namespace hocket {

/// True if more masks are live across basic blocks of `function` than fit into scalar registers.
bool hasManyMasks(const llvm::Function &function);

/// Requests this scheduling strategy for those functions of `module`, which must be for AMD GPUs, that have many masks.
/// Returns true if there are any.
bool requestFewRegisters(llvm::Module &module);

/// A pass that recomputes masks, and addresses of stores, at their uses in functions with many masks. It runs directly
/// before instruction selection, because earlier passes would merge the copies again.
llvm::FunctionPass *createRematerializeMasksPass();

} // namespace hocket

#endif
