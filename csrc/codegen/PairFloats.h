//===- PairFloats.h - Fused multiplications of neighbouring registers in pairs -------===//
//
// CDNA's v_pk_fma_f32, v_pk_mul_f32 and v_pk_add_f32 do in one instruction what two do. LLVM's SLP vectorizer finds
// some of these pairs: it starts from what is stored, added up or joined to a vector. What softmax does with the
// results of a matrix product, a fused multiplication that an exponential takes, is none of these:
//
//   %a = extractelement <16 x float> %s, 0        %p = shufflevector %s, poison, <0, 1>
//   %b = extractelement <16 x float> %s, 1        %q = fma <2 x float> %p, <%k, %k>, <%c, %c>
//   %x = fma %a, %k, %c                           %x = extractelement %q, 0
//   %y = fma %b, %k, %c                     ->    %y = extractelement %q, 1
//
// Elements 2 i and 2 i + 1 of a vector lie in an even register and the one after it, as packed instructions need them,
// and what is the same for both comes from one register. No result changes: each half is computed as before. Plain
// products and sums are left to the SLP vectorizer: half of a pair cannot become part of an fma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_PAIRFLOATS_H
#define HOCKET_CODEGEN_PAIRFLOATS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Pairs the float32 fma of `module`, which is for a GPU that has them packed.
void pairFloats(llvm::Module &module);

} // namespace hocket

#endif
