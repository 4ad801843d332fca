//===- RematerializeLaneIndices.h - Recomputes lane indices after loops with MFMA --------------===//
//
// The row and column of a lane's elements are bits of its thread index:
//
//   %lane = and i32 %thread, 31                  before the loop: addresses of loads
//   ...
//   loop with MFMA
//   ...
//   %row = mul i32 %lane, %stride                after the loop: addresses of stores
//
// LLVM computes %lane once and keeps it in a register through the loop. If the accumulators of the loop need every
// register, %lane is spilled. This pass recomputes %lane after the loop, from an opaque copy of the thread index:
//
//   %again = call i32 asm sideeffect "", "=v,0"(i32 %thread)
//   %lane.again = and i32 %again, 31
//   %row = mul i32 %lane.again, %stride
//
// Values that the loop itself uses are not recomputed. The results of the kernel are unchanged; a few instructions are
// executed twice.
//
// Why LLVM does not do this: LLVM's register allocator only rematerializes single instructions without register
// operands. The copy of the thread index is opaque, because LICM, GVN and CSE would merge a plain copy of the
// computation with the original.
//
// Gain (docs/lab/isa.md): the gain is small. By the schedule model, without this pass, loop iterations take between 3 %
// fewer and 6 % more clocks: on average 0.2 % fewer on gfx950, and 0.3 % more on gfx942. Without this pass, kernels
// have 0.8 % fewer instructions and need up to 12 more vector registers, but spill no registers.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_REMATERIALIZELANEINDICES_H
#define HOCKET_CODEGEN_AMD_IR_REMATERIALIZELANEINDICES_H

namespace llvm {
class Module;
}

namespace hocket {

/// Recomputes lane indices after each outermost loop of `module` that contains MFMA. `module` must be for AMD GPUs.
void rematerializeLaneIndices(llvm::Module &module);

} // namespace hocket

#endif
