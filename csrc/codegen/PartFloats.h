//===- PartFloats.h - No floats in pairs beside matrix products ----------------------===//
//
// CDNA's v_pk_fma_f32, v_pk_mul_f32 and v_pk_add_f32 do in one instruction what two do, but wait until the matrix core
// of the SIMD unit is idle; plain ones are issued beside its work (csrc/target/CostTable.cpp [7]). LLVM's SLP
// vectorizer pairs what it can. In blocks that multiply, which as a rule have waves that multiply on all sides, it is
// undone:
//
//   %q = fadd <2 x float> %a, %b     ->     %a0 = extractelement <2 x float> %a, 0     ..
//                                           %q0 = fadd float %a0, %b0
//
// No result changes. Elsewhere pairs stay: multiplications in a branch that few blocks of keys take, for one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_PARTFLOATS_H
#define HOCKET_CODEGEN_PARTFLOATS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Computes vectors of float32 element by element in the blocks of `module`, which is for CDNA, that multiply.
void partFloats(llvm::Module &module);

} // namespace hocket

#endif
