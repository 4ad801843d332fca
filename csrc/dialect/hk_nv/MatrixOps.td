// mma.sync operations on NVIDIA's tensor cores.
#ifndef HOCKET_DIALECT_HK_NV_MATRIXOPS_TD
#define HOCKET_DIALECT_HK_NV_MATRIXOPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

def HkNv_MmaOp : HkNv_Op<"mma", [Pure, HK_Mma, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Compute acc + a x b by mma.sync, with all operands in the warp's registers";
  let description = [{
    f32 operands are multiplied as tf32: the tensor cores read the 10 upper bits of the fraction.

    C1: a is [..., M, K], b [..., K, N], acc [..., M, N], of rank 2 or 3.
    C2: acc has a `#hk_nv.mma` layout of version [2, 0]; a and b have its dot operand layouts 0 and 1, with the same
        `k_width`.
    C3: a and b are both f16, bf16, f32, i8 (signed unless `unsigned_a`, `unsigned_b`) or each f8E4M3FN or f8E5M2; acc
        is i32 for i8, else f32.
    C4: `k_width` elements are at least 4 bytes, and K is a multiple of 8 x `k_width`.
    C5: the target has such instructions: Hopper for 8-bit floats. (Checked in the lowering.)

    ```mlir
    %d = hk_nv.mma %a, %b, %c : tensor<64x32xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>,
           tensor<32x64xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<64x64xf32, #mma>
    ```
  }];
  let arguments = (ins HK_NumberTensor:$a, HK_NumberTensor:$b, HK_NumberTensor:$acc, UnitAttr:$unsignedA,
    UnitAttr:$unsignedB);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = [{
    $a (`unsigned_a` $unsignedA^)? `,` $b (`unsigned_b` $unsignedB^)? `,` $acc attr-dict
    `:` type($a) `,` type($b) `->` type($acc)
  }];
  let hasVerifier = 1;
}

#endif
