//===- ScalarizeF32BesideMfma.h - Splits packed float32 arithmetic in blocks with MFMA ---------===//
//
// CDNA's v_pk_fma_f32, v_pk_mul_f32 and v_pk_add_f32 do the work of two instructions, but are not issued while the
// matrix core of the SIMD is busy; scalar ones are (csrc/target/CostTable.cpp [7]). LLVM's SLP vectorizer packs where
// it can. In basic blocks with MFMA, whose neighbors on the SIMD mostly multiply too, this pass unpacks again:
//
//   %q = fadd <2 x float> %a, %b     ->     %a0 = extractelement <2 x float> %a, 0     ...
//                                           %q0 = fadd float %a0, %b0
//
// Results are unchanged. Blocks without MFMA keep packed arithmetic, e.g. the rescaling branch of attention, which few
// key blocks take.
//
// LLVM's own means: turning the SLP vectorizer off would also lose packed arithmetic outside of such blocks; its cost
// model has no term for a busy matrix core.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_SCALARIZEF32BESIDEMFMA_H
#define HOCKET_CODEGEN_AMD_IR_SCALARIZEF32BESIDEMFMA_H

namespace llvm {
class Module;
}

namespace hocket {

/// Splits arithmetic on vectors of float32 into scalars in those basic blocks of `module`, which is for CDNA, that hold
/// MFMA.
void scalarizeF32BesideMfma(llvm::Module &module);

} // namespace hocket

#endif
