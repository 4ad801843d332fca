//===- ManyMasks.h - Code generation for lanes that have more masks than registers for them -===//
//
// On AMD's GPUs a mask is a pair of scalar registers, of which a wave has a hundred, and a masked store is a branch. A
// masked load and store of 64 elements a lane makes 64 masks and 64 addresses before the loads, and needs them again at
// the stores:
//
//   %m = icmp slt i32 %i, %n           with %i = or i32 %thread, 256; 64 of these
//   %v = load float, (select %m, ..)
//   ..
//   br i1 %m, label %store, label %next
//
// Kept until then, they are spilled, and the register allocator takes minutes to find out what. So they are computed
// again where they are used: a few cheap instructions each. And loads are put in the order that needs the fewest
// registers, which with that many of them is in order to hide each other's latency anyway.
//
//===------------------------------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_MANYMASKS_H
#define HOCKET_CODEGEN_MANYMASKS_H

namespace llvm {
class Function;
class FunctionPass;
class Module;
} // namespace llvm

namespace hocket {

/// Whether more masks are carried from block to block in `function` than scalar registers hold.
bool hasManyMasks(const llvm::Function &function);

/// Marks such functions of `module`, which is for AMD's GPUs, for the scheduler. True if there are any.
bool prepareManyMasks(llvm::Module &module);

/// The pass that computes masks, and addresses of stores, where they are used, in functions with many masks. For the
/// time right before instruction selection: earlier, others would undo it.
llvm::FunctionPass *createRecomputeMasksPass();

} // namespace hocket

#endif
