//===- RoundToBfloats.h - float32 to bfloat16 on chips without an instruction for it -------===//
//
// CDNA3 rounds to bfloat16 in integers: half a step is added, less a bit where the result would else be odd, and the
// upper half is what is left. A NaN must not become infinite by that. LLVM keeps its upper bits; here it becomes the
// NaN of which all bits are set, a constant that instructions have inside:
//
//   v_bfe_u32, v_add3_u32                         v_bfe_u32, v_add3_u32
//   v_or_b32 v2, 0x400000, v0              ->
//   v_cmp_u_f32, v_cndmask_b32 v1, v1, v2         v_cmp_o_f32, v_cndmask_b32 v1, -1, v1
//
// Numbers and infinities become the same as before.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_ROUNDTOBFLOATS_H
#define HOCKET_CODEGEN_ROUNDTOBFLOATS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Rounds float32 in integers, also in vectors.
void roundToBfloats(llvm::Module &module);

} // namespace hocket

#endif
