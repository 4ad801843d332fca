//===- ExpandF32ToBf16.h - Rounds float32 to bfloat16 by integer instructions ------------------===//
//
// CDNA3 has no instruction that rounds to bfloat16. The rounding adds half a unit in the last place, minus one bit
// where the result would be odd otherwise, and takes the upper half. A NaN must not become infinite by that addition:
// LLVM's expansion keeps the NaN's upper bits, this one replaces it by the NaN with all bits set, which is an inline
// constant and saves an instruction:
//
//   v_bfe_u32, v_add3_u32                         v_bfe_u32, v_add3_u32
//   v_or_b32 v2, 0x400000, v0              ->
//   v_cmp_u_f32, v_cndmask_b32 v1, v1, v2         v_cmp_o_f32, v_cndmask_b32 v1, -1, v1
//
// For finite numbers and infinities the results are those of LLVM.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_EXPANDF32TOBF16_H
#define HOCKET_CODEGEN_AMD_IR_EXPANDF32TOBF16_H

namespace llvm {
class Module;
}

namespace hocket {

/// Expands fptrunc from float32 to bfloat16, of scalars and vectors.
void expandF32ToBf16(llvm::Module &module);

} // namespace hocket

#endif
