//===- RematerializeMasks.h - Recomputes masks and addresses at their uses ---------------------===//
//
// On AMD GPUs a mask takes a pair of scalar registers, and a wave has about a hundred scalar registers. A masked store
// is implemented by a branch. A kernel that loads and stores 64 masked elements per lane computes 64 masks and 64
// addresses before the loads, and uses the masks and addresses again at the stores:
//
//   %m = icmp slt i32 %i, %n           with %i = or i32 %thread, 256; 64 of these
//   %v = load float, (select %m, ...)
//   ...
//   br i1 %m, label %store, label %next
//
// LLVM keeps all masks and addresses live up to the stores, so they are spilled, and register allocation takes minutes.
// This pass recomputes masks and addresses at each use, by a few cheap instructions. requestFewRegisters also selects
// the scheduling strategy that minimizes register pressure: with 64 loads per lane, any order of the instructions hides
// the latency of the loads.
//
// Why LLVM does not do this: LLVM's register allocator only rematerializes single instructions without register
// operands.
//
// Gain (docs/lab/isa.md): for a kernel that sums 64 masked elements per lane, this pass reduces the number of vector
// registers from 253 to 73, and the number of spilled registers from 32 to 0. No kernel of hocket.kernels that
// docs/lab/isa.md lists has that many masks.
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

/// True if `function` has more masks that are live across basic blocks than fit into the scalar registers of a wave.
bool hasManyMasks(const llvm::Function &function);

/// For each function of `module` that has many masks, selects the scheduling strategy that minimizes register pressure.
/// Returns true if `module` has such a function. `module` must be for AMD GPUs.
bool requestFewRegisters(llvm::Module &module);

/// Creates a pass that recomputes masks, and addresses of stores, at their uses in functions with many masks. The pass
/// runs directly before instruction selection, because earlier in LLVM's pass list, other passes would merge the copies
/// again.
llvm::FunctionPass *createRematerializeMasksPass();

} // namespace hocket

#endif
