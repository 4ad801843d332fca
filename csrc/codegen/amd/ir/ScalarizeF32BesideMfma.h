//===- ScalarizeF32BesideMfma.h - Splits packed float32 arithmetic in blocks with MFMA ---------===//
//
// CDNA's packed instructions v_pk_fma_f32, v_pk_mul_f32 and v_pk_add_f32 each compute two float32 results per lane.
// Unlike unpacked VALU instructions, packed instructions are not issued while the matrix core of the SIMD is busy
// (csrc/target/CostTable.cpp [7]). LLVM's SLP vectorizer packs floats wherever it can. This pass unpacks the floats in
// basic blocks with MFMA, because other waves of the SIMD mostly execute MFMAs at the same time:
//
//   %q = fadd <2 x float> %a, %b     ->     %a0 = extractelement <2 x float> %a, 0     ...
//                                           %q0 = fadd float %a0, %b0
//
// The computed values are unchanged. Basic blocks without MFMA keep packed arithmetic, e.g. the branch of an attention
// kernel that rescales the accumulators.
//
// Why LLVM does not do this: the cost model of the SLP vectorizer does not take a busy matrix core into account. If the
// SLP vectorizer were disabled, other basic blocks would lose their packed arithmetic.
//
// Gain (docs/lab/isa.md): the schedule model shows no gain. Without this pass, eight loops of attention kernels on
// gfx950 have 5 % fewer instructions. By the schedule model, these loops take 0.4 % fewer clocks without this pass. The
// pass changes no kernel for gfx942.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_SCALARIZEF32BESIDEMFMA_H
#define HOCKET_CODEGEN_AMD_IR_SCALARIZEF32BESIDEMFMA_H

namespace llvm {
class Module;
}

namespace hocket {

/// Splits arithmetic on vectors of float32 into scalars in basic blocks of `module` that contain MFMA. `module` must be
/// for CDNA.
void scalarizeF32BesideMfma(llvm::Module &module);

} // namespace hocket

#endif
