// Attributes of the `hk_nv` dialect: layouts of tensor cores' accumulators and of shared memory.
#ifndef HOCKET_DIALECT_HK_NV_HKNVATTRS_TD
#define HOCKET_DIALECT_HK_NV_HKNVATTRS_TD

include "dialect/hk/ir/HkAttrs.td"
include "dialect/hk/facts/HkStorageInterfaces.td"
include "dialect/hk_nv/HkNvDialect.td"

def HkNv_MmaAttr : HK_DistributedAttr<"Mma", "mma", "mma", [], [DeclareAttrInterfaceMethods<HK_AccumulatorLayout>],
                                      HkNv_Dialect> {
  let summary = "accumulators of tensor cores (mma.sync, wgmma)";
  let description = [{
    The warps form a grid of `warps_per_cta`, in which each warp holds the result of one instruction. In such a result
    of 16 x N, lane l holds

        in registers 4 j and 4 j + 1        columns 8 j + 2 (l mod 4) and 8 j + 2 (l mod 4) + 1 of row l div 4
        in registers 4 j + 2 and 4 j + 3    the same columns of row l div 4 + 8

    Versions [2, 0] and [2, 1] (mma.sync): N is 8; warps are consecutive along N first. Version [3, 0] (wgmma): N is up
    to 256; warps are consecutive along M first, and four warps are a warpgroup if the number of warps along M is a
    multiple of 4. Over a larger tensor, the layout repeats, along N first. A smaller tensor is replicated over lanes or
    warps.

    As parent of `#hk.dot_operand<op_idx, parent, k_width>`: lane l holds rows l div 4 and l div 4 + 8 of operand 0
    (column l div 4 of operand 1). Along K, the lane holds `k_width` elements from k = k_width (l mod 4) on; this
    pattern repeats with a period of 4 k_width.

    C1: `version` is [2, 0], [2, 1] or [3, 0].
    C2: `warps_per_cta` has 2 or 3 entries (the rank), powers of two.
    C3: `instr_shape` is [16, 8] in version [2, x], with a 1 before it where the rank is 3. In version [3, 0] it is
        [16, N, K]: N is a power of two from 8 to 256, and K, 8, 16 or 32, is the number of operand elements in 32
        bytes.
    C4: as parent: `k_width` is a power of two, at most 16; `op_idx` is 0 in version [3, 0].
    C5: `block` is as in `#hk.blocked`.

    ```mlir
    #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$version, ArrayRefParameter<"int64_t">:$warpsPerCta,
    ArrayRefParameter<"int64_t">:$instrShape, HK_ClusterRows:$block);
  let assemblyFormat = [{
    `<` `version` `=` `[` $version `]` `,` `warps_per_cta` `=` `[` $warpsPerCta `]` `,`
    `instr_shape` `=` `[` $instrShape `]` (`,` `block` `=` $block^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = declareAlias # [{
    int64_t getMajorVersion() const { return getVersion()[0]; }
    /// Returns why accumulators of wgmma cannot have this layout; empty if they can.
    std::string whyNotWarpgroups() const;
    ::hocket::NvidiaMmaParams getParams() const {
      return {getMajorVersion(), getWarpsPerCta(), getMajorVersion() == 3 ? getInstrShape()[1] : 8};
    }
  }];
}

def HkNv_MmaSharedAttr : HK_LayoutAttr<HkNv_Dialect, "MmaShared", "mma_shared", "mma_shared",
    [DeclareAttrInterfaceMethods<HK_SharedLayout, ["whyNotTile"]>, DeclareAttrInterfaceMethods<HK_AlignedLayout>]> {
  let summary = "shared memory layout of TMA and wgmma";
  let description = [{
    A tile is split into blocks that are `swizzle` bytes wide and contain all rows. The blocks are stored one after the
    other. Within eight rows, the 16-byte unit at index p of row r is stored at p XOR ((r / (128 / swizzle)) mod
    (swizzle / 16)). Without swizzle (0) the tile is row-major. The dimensions before the last one number the rows, in
    row-major order. With `transposed`, rows and columns are exchanged. Buffers are aligned to the period of the swizzle
    (eight rows of `swizzle` bytes), or to 128 bytes without swizzle, because the hardware swizzles by bits of the
    address.

    C1: `swizzle` is 0, 32, 64 or 128; `element_bits` is 8, 16, 32 or 64.
    C2: `rank` is 1 to 5; 2 with `transposed`, and at least 2 with a swizzle.
    C3: with a swizzle, a row of the tile has at least 8 `swizzle` / `element_bits` elements, and there are at least 8
        rows. (Checked where a buffer gets the layout.) Elements whose width is not `element_bits` get the same offsets,
        counted in elements; TMA does not support such elements.
    C4: `block` is as in `#hk.blocked`.

    ```mlir
    #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
    ```
  }];
  let parameters = (ins "int64_t":$swizzle, "int64_t":$elementBits, "int64_t":$dims, "bool":$transposed,
    HK_ClusterRows:$block);
  let assemblyFormat = [{
    `<` `swizzle` `=` $swizzle `,` `element_bits` `=` $elementBits `,` `rank` `=` $dims `,`
    `transposed` `=` $transposed (`,` `block` `=` $block^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = declareAlias # [{
    /// Returns why TMA cannot copy tiles of `elementType`; empty if it can.
    std::string whyNotForTma(::mlir::Type elementType) const;
    ::hocket::NvidiaSharedParams getParams() const { return {getSwizzle(), getElementBits(), getTransposed()}; }
  }];
}

#endif
