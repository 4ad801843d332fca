//===- PackF16InPlace.h - Rounds the upper float16 of a pair directly into its register ---------===//
//
// Two float16 numbers share a 32-bit register. CDNA3 has only instructions that round one float32 to float16. LLVM
// rounds each number into a separate register and then packs the two registers:
//
//   v_cvt_f16_f32 v0, a                  v_cvt_f16_f32 v0, a
//   v_cvt_f16_f32 v1, b          ->      v_cvt_f16_f32_sdwa v0, b dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE
//   v_pack_b32_f16 v0, v0, v1
//
// Two instructions instead of three compute the same bits. To round and pack 32 softmax probabilities, a lane executes
// 32 instead of 48 instructions.
//
// Why LLVM does not do this: SIPeepholeSDWA folds shifts and masks into SDWA operands, but has no pattern for
// v_pack_b32_f16.
//
// Gain (docs/lab/isa.md): without this pass, 19 kernels of hocket.kernels for gfx942 have 4 % more instructions on
// average. By the schedule model, iterations of the loops in these kernels take 3 % more clocks on average without this
// pass, and at most 22 % more. Kernels for gfx950 do not change, because gfx950 has an instruction that rounds two
// numbers at a time.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_PACKF16INPLACE_H
#define HOCKET_CODEGEN_AMD_MACHINE_PACKF16INPLACE_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass, which must run directly after instruction selection, when each virtual register has one
/// definition.
llvm::FunctionPass *createPackF16InPlacePass();

} // namespace hocket

#endif
