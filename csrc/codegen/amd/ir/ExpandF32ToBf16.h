//===- ExpandF32ToBf16.h - Rounds float32 to bfloat16 by integer instructions ------------------===//
//
// CDNA3 has no instruction that rounds to bfloat16. To round to nearest even, 0x7fff plus bit 16 of the float32 is
// added, and the upper 16 bits of the sum are the result. The addition of 0x7fff could turn a NaN into infinity. LLVM's
// expansion therefore keeps the upper bits of a NaN. Hocket's expansion replaces each NaN by the NaN with all bits set:
// this NaN is an inline constant, so the expansion needs one instruction less:
//
//   v_bfe_u32, v_add3_u32                         v_bfe_u32, v_add3_u32
//   v_or_b32 v2, 0x400000, v0              ->
//   v_cmp_u_f32, v_cndmask_b32 v1, v1, v2         v_cmp_o_f32, v_cndmask_b32 v1, -1, v1
//
// For finite numbers and infinities, Hocket's expansion and LLVM's expansion give the same results.
//
// Why LLVM does not do this: LLVM's expansion keeps the upper bits of a NaN, but no kernel needs these bits.
//
// Gain (docs/lab/isa.md): without this pass, the 28 kernels of hocket.kernels for gfx942 that round to bfloat16 have
// 6 % more instructions on average. By the schedule model, iterations of the loops in these kernels take 7 % more
// clocks on average without this pass, and at most 36 % more. Kernels for gfx950 do not change, because gfx950 has an
// instruction that rounds to bfloat16.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_EXPANDF32TOBF16_H
#define HOCKET_CODEGEN_AMD_IR_EXPANDF32TOBF16_H

namespace llvm {
class Module;
}

namespace hocket {

/// Expands each fptrunc from float32 to bfloat16 in `module`, for scalars and vectors.
void expandF32ToBf16(llvm::Module &module);

} // namespace hocket

#endif
