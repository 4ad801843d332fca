//===- PackNarrowPhis.h - Merges phis of narrow vector elements into phis of vectors ----------===//
//
// If a lane loads 8- or 16-bit elements in one iteration and stores them in the next one, each element is carried by
// its own phi, which takes a 32-bit register. LLVM unpacks the loaded vector into the registers of the phis at the end
// of the iteration, so the wave waits for the load at that program point.
//
//   header:                                                   header:
//   %a = phi half [ %a0, %entry ], [ %a1, %header ]           %v = phi <2 x half> [ %v0, %entry ], [ %v1, %header ]
//   %b = phi half [ %b0, %entry ], [ %b1, %header ]     ->    %a = extractelement <2 x half> %v, 0
//   ...                                                       %b = extractelement <2 x half> %v, 1
//   %v1 = load <2 x half>                                     ...
//   %a1 = extractelement <2 x half> %v1, 0                    %v1 = load <2 x half>
//   %b1 = extractelement <2 x half> %v1, 1
//
// Why LLVM does not do this: LiveRegOptimizer (AMDGPULateCodeGenPrepare) packs sub-dword vectors that are live across
// basic blocks, but these phis are scalars, and no pass of LLVM merges scalar phis.
//
// Gain (docs/lab/isa.md): by the schedule model, without this pass, the clocks of an iteration of the changed loops on
// gfx942 rise by a factor of 1.7 on average, and at most 7. The kernels together spill 254 more registers. On gfx950,
// the pass changes only matmul_scaled; without the pass, the clocks of its iterations rise by a factor of 4.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_PACKNARROWPHIS_H
#define HOCKET_CODEGEN_AMD_IR_PACKNARROWPHIS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Width in bits of a register, into which elements of 8 or 16 bits are packed.
constexpr unsigned kPackedRegisterBits = 32;

/// Merges phis of narrow elements if their vector has at most `mostBits` bits. Before LLVM's optimizations, `mostBits`
/// is the width of one register: a larger vector would need consecutive registers, and accumulators leave few of these
/// free.
void packNarrowPhis(llvm::Module &module, unsigned mostBits);

} // namespace hocket

#endif
