//===- RematerializeMasks.h - Recomputes masks and addresses at their uses ---------------------===//
//
// On AMD GPUs a mask is a pair of scalar registers, of which a wave has about a hundred, and a masked store is a
// branch. A kernel that loads and stores 64 masked elements per lane computes 64 masks and 64 addresses before the
// loads, and uses the masks and addresses again at the stores:
//
//   %m = icmp slt i32 %i, %n           with %i = or i32 %thread, 256; 64 of these
//   %v = load float, (select %m, ...)
//   ...
//   br i1 %m, label %store, label %next
//
// LLVM keeps all masks and addresses live up to the stores, so they are spilled, and register allocation takes minutes.
// This pass recomputes masks and addresses at each use, by a few cheap instructions. The pass also requests the
// scheduling strategy that minimizes registers. With this number of loads, any order hides the latency of the loads.
//
// Why LLVM does not do this: LLVM's register allocator only rematerializes single instructions without register
// operands.
//
// Gain (docs/lab/isa.md): a sum with 64 masked elements per lane needs 73 vector registers with this pass; without it,
// the kernel needs 253 and spills 32. No kernel of hocket.kernels in the table has that many masks.
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

/// Requests the scheduling strategy that minimizes registers for functions of `module` that have many masks. Returns
/// true if a function has many masks. `module` must be for AMD GPUs.
bool requestFewRegisters(llvm::Module &module);

/// A pass that recomputes masks, and addresses of stores, at their uses in functions with many masks. The pass runs
/// directly before instruction selection, because earlier passes would merge the copies again.
llvm::FunctionPass *createRematerializeMasksPass();

} // namespace hocket

#endif
