// Accesses of global memory through buffer descriptors.
#ifndef HOCKET_DIALECT_HK_AMD_BUFFEROPS_TD
#define HOCKET_DIALECT_HK_AMD_BUFFEROPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

def HkAmd_BufferLoadOp : HkAmd_Op<"buffer_load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<HK_GlobalAccess>, HkAmd_MaskMatchesOffsets,
    OptionalTypesMatchWith<"other has the type of the result", "result", "other", "$_self">]> {
  let summary = "Read global memory at offsets from a base, through a buffer descriptor";
  let description = [{
    Elements whose `mask` is false are not read, and the lowering needs no branch for this: the hardware's bounds check
    returns 0 for these elements. If `other` is given, it replaces the zeros. Offsets count elements. The address of
    every element is within 2 GiB of the base.

    C1: the result has the offsets' shape and layout, and the base's pointee type as element type.
    C2: `mask` is i1 in the offsets' shape and layout; `other` has the result's type.
    C3: `other` is given only together with `mask`.

    ```mlir
    %v = hk_amd.buffer_load %base[%offsets], mask %m : !hk.ptr<f16>, tensor<64x64xi32, #blocked> -> tensor<64x64xf16, #blocked>
    ```
  }];
  let arguments = (ins Arg<HK_Pointer, "", [MemRead<HK_GlobalMemory>]>:$ptr, HkAmd_Offsets:$offsets,
    Optional<HK_BoolTensor>:$mask, Optional<HK_Tensor>:$other,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` `mask` $mask^ (`,` `other` $other^)?)? (`cache` `=` `` $cache^)? attr-dict
    `:` qualified(type($ptr)) `,` type($offsets) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HkAmd_BufferStoreOp : HkAmd_Op<"buffer_store", [DeclareOpInterfaceMethods<HK_GlobalAccess>,
    HkAmd_MaskMatchesOffsets]> {
  let summary = "Write global memory at offsets from a base, through a buffer descriptor";
  let description = [{
    Elements whose `mask` is false are not written; the lowering needs no branch for this. An element that several lanes
    hold is written once.

    C1: the value has the offsets' shape and layout, and the base's pointee type as element type.
    C2: `mask` is i1 in the same shape and layout.

    ```mlir
    hk_amd.buffer_store %v, %base[%offsets], mask %m : tensor<64x64xf16, #blocked>, !hk.ptr<f16>, tensor<64x64xi32, #blocked>
    ```
  }];
  let arguments = (ins HK_Tensor:$value, Arg<HK_Pointer, "", [MemWrite<HK_GlobalMemory>]>:$ptr,
    HkAmd_Offsets:$offsets, Optional<HK_BoolTensor>:$mask,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` `mask` $mask^)? (`cache` `=` `` $cache^)? attr-dict
    `:` type($value) `,` qualified(type($ptr)) `,` type($offsets)
  }];
  let hasVerifier = 1;
}

def HkAmd_BufferAtomicRmwOp : HkAmd_Op<"buffer_atomic_rmw", [HK_AtomicAccess, DeclareOpInterfaceMethods<HK_UsesScratch>,
    HK_MemoryOwner, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<HK_GlobalAccess>, HkAmd_MaskMatchesOffsets]> {
  let summary = "Combine values with global memory atomically through a buffer descriptor; return the old values";
  let description = [{
    Like `hk.atomic_rmw`, but with offsets from a base instead of pointers. Elements whose `mask` is false are not
    accessed.

    C1: value and result have the offsets' shape and layout, and the base's pointee type as element type.
    C2: `mask` is i1 in the same shape and layout.
    C3: elements are floats for fadd, integers for and, or, xor, add, max, min, umax and umin, and either for xchg.
    C4: elements are 32 or 64 bits wide. For fadd, elements may also have 16 bits, because the hardware adds pairs of
      16-bit elements.

    ```mlir
    %old = hk_amd.buffer_atomic_rmw fadd, %base[%offsets], %v sem = relaxed
         : !hk.ptr<f32>, tensor<64xi32, #blocked>, tensor<64xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_AtomicOpAttr:$op,
    Arg<HK_Pointer, "", [MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>:$ptr, HkAmd_Offsets:$offsets,
    HK_Tensor:$value, Optional<HK_BoolTensor>:$mask,
    DefaultValuedAttr<HK_MemSemanticAttr, "::hocket::hk::MemSemantic::AcqRel">:$sem,
    DefaultValuedAttr<HK_MemScopeAttr, "::hocket::hk::MemScope::Gpu">:$scope, HK_MemoryOffset:$offset);
  let results = (outs HK_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::hocket::hk::AtomicOp":$op, "::mlir::Value":$ptr,
                                 "::mlir::Value":$offsets, "::mlir::Value":$value, "::mlir::Value":$mask,
                                 "::hocket::hk::MemSemantic":$sem, "::hocket::hk::MemScope":$scope), [{
    build($_builder, $_state, result, op, ptr, offsets, value, mask, sem, scope, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    `` $op `,` $ptr `[` $offsets `]` `,` $value (`,` `mask` $mask^)? (`sem` `=` `` $sem^)? (`scope` `=` `` $scope^)?
    (`offset` `=` $offset^)? attr-dict `:` qualified(type($ptr)) `,` type($offsets) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif
