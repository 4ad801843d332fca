// Attributes of the `hk_amd` dialect: the layout of MFMA accumulators.
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDATTRS_TD
#define HOCKET_DIALECT_HK_AMD_HKAMDATTRS_TD

include "dialect/hk/ir/HkAttrs.td"
include "dialect/hk_amd/HkAmdEnums.td"

def HkAmd_MfmaAttr : HK_DistributedAttr<"Mfma", "mfma", "mfma", [], [DeclareAttrInterfaceMethods<HK_AccumulatorLayout>],
                                        HkAmd_Dialect> {
  let summary = "accumulators of matrix cores (MFMA)";
  let description = [{
    The warps form a grid of `warps_per_cta`, in which each warp holds `tiles_per_warp` adjacent results of an
    instruction of shape `instr_shape` = [M, N, K]. In such a result, of f32 or i32, lane l holds in register r

        column n = l mod N, row m = 4 (l div N) + r mod 4 + (256 / N) (r div 4)

    With `transposed`, rows and columns are exchanged: each lane has four consecutive columns. With 64-bit elements
    (`element_bits`) consecutive rows of a lane are 4 apart. The results are ordered along N first: the results of one
    warp, then the results of the other warps, then repetitions up to the tensor's width. After a row of results along
    N, the order continues along M. With three dimensions, the first one is the batch. A smaller tensor is replicated
    over lanes or warps.

    f32 operands with `instr_shape` [16, 16, 8] or [32, 32, 4] are multiplied as xf32 (CDNA3).

    As parent of `#hk.dot_operand<op_idx, parent, k_width>`: lane l holds row l mod M of operand 0 (column l mod N of
    operand 1). Along K, the lane holds `k_width` elements from k = k_width (l div M) on; this pattern repeats with a
    period of (64 / M) k_width.

    C1: `version` is 1 (gfx908), 2 (gfx90a), 3 (CDNA3) or 4 (CDNA4); `hk_amd.mfma` supports only the last two.
    C2: `instr_shape` is [M, N, K] of an instruction of that version; M x N is 32x32, 16x16, 64x4, 4x64 or 4x4.
    C3: `warps_per_cta`, and `tiles_per_warp` if it is given, have 2 or 3 entries (the rank), which are powers of two.
    C4: `element_bits` is 32, or 64 with `instr_shape` [16, 16, 4].
    C5: as parent: `k_width` is a power of two, at most 32.

    ```mlir
    #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
    ```
  }];
  let parameters = (ins "int64_t":$version, ArrayRefParameter<"int64_t">:$instrShape, "bool":$transposed,
    ArrayRefParameter<"int64_t">:$warpsPerCta, DefaultValuedParameter<"int64_t", "32">:$elementBits,
    OptionalArrayRefParameter<"int64_t">:$tilesPerWarp);
  let assemblyFormat = [{
    `<` `version` `=` $version `,` `instr_shape` `=` `[` $instrShape `]` `,` `transposed` `=` $transposed `,`
    `warps_per_cta` `=` `[` $warpsPerCta `]` `` custom<MfmaOptions>($elementBits, $tilesPerWarp) `` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = declareAlias # [{
    int64_t getM() const { return getInstrShape()[0]; }
    int64_t getN() const { return getInstrShape()[1]; }
    int64_t getK() const { return getInstrShape()[2]; }
    ::hocket::MfmaParams getParams() const {
      return {getM(), getN(), getTransposed(), getElementBits(), getWarpsPerCta(), getTilesPerWarp()};
    }
  }];
}

#endif
