// MFMA operations on CDNA's matrix cores.
#ifndef HOCKET_DIALECT_HK_AMD_MATRIXOPS_TD
#define HOCKET_DIALECT_HK_AMD_MATRIXOPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

def HkAmd_MfmaOp : HkAmd_Op<"mfma", [Pure, HK_Mma, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Compute acc + a x b on matrix cores";
  let description = [{
    C1: a is [..., M, K], b [..., K, N], acc [..., M, N], of rank 2 or 3.
    C2: acc has a `#hk_amd.mfma` layout; a and b have its dot operand layouts 0 and 1, with the same `k_width`.
    C3: the GPU generation of the layout has an instruction of the layout's shape for the element types. The accumulator
        has the instruction's type: f32 for f16, bf16, f32 and 8-bit floats (FNUZ on CDNA3, OCP on CDNA4); i32 for i8;
        f64 for f64, with `element_bits = 64`.
    C4: K is a multiple of (64 / M) x w, where w is the larger of `k_width` and the number of elements along K that an
        instruction reads from a lane.
    C5: the target is a GPU of the layout's generation. (Checked in the lowering.)

    ```mlir
    %d = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>>,
           tensor<32x64xf16, #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>> -> tensor<64x64xf32, #mfma>
    ```
  }];
  let arguments = (ins HK_NumberTensor:$a, HK_NumberTensor:$b, HK_NumberTensor:$acc);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($acc)";
  let hasVerifier = 1;
}

def HkAmd_MfmaScaledOp : HkAmd_Op<"mfma_scaled", [Pure, HK_Mma, AttrSizedOperandSegments, InferTypeOpAdaptor]> {
  let summary = "Compute acc + (a x scale) (b x scale) on matrix cores, for microscaled formats";
  let description = [{
    Every 32 consecutive elements along K share a scale 2^(s - 127), where s is an i8. A missing scale is 1. Elements of
    4 bits (e2m1) are packed in pairs along K into an i8, the first in the low half.

    C1: a is [M, K / p], b [K / p, N], acc [M, N], where p is the number of elements in an i8 (2 for e2m1, else 1).
    C2: acc is f32 with a `#hk_amd.mfma` layout of version 4 and instruction shape [16, 16, 128] or [32, 32, 64]; a and
        b have the dot operand layouts 0 and 1 of this layout, with `k_width` 16 (32 for e2m3 and e3m2).
    C3: elements are i8; they may be f8E4M3FN for e4m3, and f8E5M2 for e5m2. An element of 6 bits is in the low bits of
      an i8 of its own.
    C4: K is a multiple of the instruction's K.
    C5: `a_scale` is [M, K / 32], `b_scale` is [N, K / 32], both i8 in the layout of the scales: for each instruction,
        lane l holds the scale of row l mod M and of the 32 elements from k = 32 (l div M) on.
    C6: the target is a GPU of the layout's generation. (Checked in the lowering.)

    ```mlir
    %d = hk_amd.mfma_scaled %a scale %sa e4m3, %b scale %sb e2m1, %c : (..) -> tensor<64x64xf32, #mfma>
    ```
  }];
  let arguments = (ins HK_NumberTensor:$a, Optional<HK_NumberTensor>:$aScale, HkAmd_ScaledFormatAttr:$aFormat,
    HK_NumberTensor:$b, Optional<HK_NumberTensor>:$bScale, HkAmd_ScaledFormatAttr:$bFormat, HK_NumberTensor:$acc);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = [{
    $a (`scale` $aScale^)? $aFormat `,` $b (`scale` $bScale^)? $bFormat `,` $acc attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif
