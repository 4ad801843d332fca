//===- RejoinVectors.h - Restores vectors that were split into scalars -------------------------===//
//
// A lane's part of a tile is lowered to one scalar per element, while MFMA instructions take and return vectors.
// Between two MFMAs, each accumulator element of a lane, e.g. each of 64, is then extracted, carried by a phi, and
// inserted again. Extracts, phis and inserts of accumulator elements are half of the instructions of an attention
// kernel, and every LLVM pass visits them. This pass restores the vectors before LLVM's first pass:
//
//   %a = extractelement <2 x half> %v, 0                      (uses %v)
//   %b = extractelement <2 x half> %v, 1               ->
//   %w0 = insertelement <2 x half> poison, half %a, 0
//   %w = insertelement <2 x half> %w0, half %b, 1
//
// Phis of MFMA operands, mostly accumulators, become phis of vectors:
//
//   %a = phi float [ 0.0, %entry ], [ %a1, %loop ]            %w = phi <4 x float> [ zeroinitializer, %entry ],
//   ...                                                                           [ %d, %loop ]
//   %w = insertelement <4 x float> %w2, float %x, 3    ->     %d = mfma(..., <4 x float> %w)
//   %d = mfma(..., <4 x float> %w)
//   %a1 = extractelement <4 x float> %d, 0
//   ...
//
// Why LLVM does not do this: InstCombine folds an insert of an extract, but not through phis; the SLP vectorizer works
// on stores and reductions, not on operands of intrinsics.
//
// Gain (docs/lab/isa.md): without this pass, the hottest loops of 94 of 158 kernels of hocket.kernels have 3 % more
// instructions on average, and at most 11 %.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_REJOINVECTORS_H
#define HOCKET_CODEGEN_AMD_IR_REJOINVECTORS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Replaces chains of insertelement in `module`, which must be for CDNA, by the vectors from which their elements are
/// extracted, and turns phis of MFMA operands into phis of vectors.
void rejoinVectors(llvm::Module &module);

} // namespace hocket

#endif
