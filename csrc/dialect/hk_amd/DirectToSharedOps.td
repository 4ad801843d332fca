// Copies from global memory into LDS that bypass registers.
#ifndef HOCKET_DIALECT_HK_AMD_DIRECTTOSHAREDOPS_TD
#define HOCKET_DIALECT_HK_AMD_DIRECTTOSHAREDOPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

def HkAmd_BufferLoadToSharedOp : HkAmd_Op<"buffer_load_to_shared", [AttrSizedOperandSegments,
    HkAmd_MaskMatchesOffsets, DeclareOpInterfaceMethods<HK_AsyncAccess>,
    DeclareOpInterfaceMethods<HK_GlobalAccess>]> {
  let summary = "Start copying global memory at offsets from a base into LDS";
  let description = [{
    The copy is asynchronous: the waiting warp may read the tile after an `hk.async_wait_group` for the copy's group;
    other warps may read the tile after a barrier that follows the wait. Masked elements become `other`, or 0.

    The hardware takes one LDS address for the whole warp, and writes the data of the warp's lanes contiguously from
    that address on, in the order of the lanes.

    C1: the tile has the offsets' shape, and the base's pointee type as element type.
    C2: `mask` is i1 in the offsets' shape and layout; `other` is a tensor of the tile's elements in that layout.
    C3: `other` is given only together with `mask`.
    C4: with the layouts of the offsets and the tile, each lane copies contiguous elements of 4 bytes together (on
        CDNA4, also 16 bytes), and the elements of consecutive lanes are contiguous in the tile's memory. Padding is
        allowed only between the data of different warps. (Checked in the lowering.)

    ```mlir
    hk_amd.buffer_load_to_shared %base[%offsets], %tile, mask %m
      : !hk.ptr<f16>, tensor<64x64xi32, #linear> -> !hk.memdesc<64x64xf16, #padded>
    ```
  }];
  let arguments = (ins Arg<HK_Pointer, "", [MemRead<HK_GlobalMemory>]>:$ptr, HkAmd_Offsets:$offsets,
    Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst, Optional<HK_BoolTensor>:$mask, Optional<HK_Tensor>:$other,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` `,` $dst (`,` `mask` $mask^ (`,` `other` $other^ `:` type($other))?)?
    (`cache` `=` `` $cache^)? attr-dict `:` qualified(type($ptr)) `,` type($offsets) `->` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

#endif
