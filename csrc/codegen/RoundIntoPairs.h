//===- RoundIntoPairs.h - A half is rounded to where its pair is -----------------------===//
//
// Two float16 numbers share a register. Where a chip rounds one number at a time, as CDNA3 does, LLVM gives each a
// register, and packs them:
//
//   v_cvt_f16_f32 v0, a                  v_cvt_f16_f32 v0, a
//   v_cvt_f16_f32 v1, b          ->      v_cvt_f16_f32_sdwa v0, b dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE
//   v_pack_b32_f16 v0, v0, v1
//
// The same bits with two instructions for three: of attention's 48 for the weights of 64 keys, 32 are left.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_ROUNDINTOPAIRS_H
#define HOCKET_CODEGEN_ROUNDINTOPAIRS_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, right after instruction selection, when each register has one definition.
llvm::FunctionPass *createRoundIntoPairsPass();

} // namespace hocket

#endif
