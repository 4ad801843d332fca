// Accesses of global memory through pointers.
#ifndef HOCKET_DIALECT_HK_IR_GLOBALMEMORYOPS_TD
#define HOCKET_DIALECT_HK_IR_GLOBALMEMORYOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_LoadOp : HK_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<HK_GlobalAccess>, HK_MaskMatchesPtr, OptionalTypesMatchWith<"other has the type of the result", "result", "other", "$_self">]> {
  let summary = "Read global memory through pointers";
  let description = [{
    Elements whose `mask` is false are not read: their result is `other`, or undefined if there is no `other`. With a
    scalar pointer, every lane reads the scalar.

    C1: the result has the pointers' shape and layout, and their pointee type as element type.
    C2: `mask` is i1 in the pointers' shape and layout; `other` has the result's type.
    C3: `other` is given only together with `mask`.

    ```mlir
    %v = hk.load %p : tensor<128x!hk.ptr<f32>, #blocked> -> tensor<128xf32, #blocked>
    %w = hk.load %p, mask %m, other %zero cache = cg policy = <l2 = evict_first> volatile
       : tensor<128x!hk.ptr<f32>, #blocked> -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_PointerLike:$ptr, Optional<HK_BoolLike>:$mask, Optional<HK_Value>:$other,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    OptionalAttr<HK_CachePolicyAttr>:$policy, UnitAttr:$isVolatile);
  let results = (outs HK_Value:$result);
  let assemblyFormat = [{
    $ptr (`,` `mask` $mask^ (`,` `other` $other^)?)? (`cache` `=` `` $cache^)? (`policy` `=` $policy^)?
    (`volatile` $isVolatile^)? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HK_StoreOp : HK_Op<"store", [DeclareOpInterfaceMethods<HK_GlobalAccess>, HK_MaskMatchesPtr]> {
  let summary = "Write global memory through pointers";
  let description = [{
    Elements whose `mask` is false are not written. An element that several lanes hold (a scalar, a replicated layout)
    is written once.

    C1: the value has the pointers' shape and layout, and their pointee type as element type.
    C2: `mask` is i1 in the pointers' shape and layout.

    ```mlir
    hk.store %p, %v, mask %m cache = wb : tensor<128x!hk.ptr<f32>, #blocked>, tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<HK_PointerLike, "", [MemWrite<HK_GlobalMemory>]>:$ptr, HK_Value:$value,
    Optional<HK_BoolLike>:$mask,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    OptionalAttr<HK_CachePolicyAttr>:$policy);
  let assemblyFormat = [{
    $ptr `,` $value (`,` `mask` $mask^)? (`cache` `=` `` $cache^)? (`policy` `=` $policy^)? attr-dict
    `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def HK_AtomicRmwOp : HK_Op<"atomic_rmw", [HK_AtomicAccess, DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner,
    AllTypesMatch<["value", "result"]>, HK_MaskMatchesPtr]> {
  let summary = "Combine values with global memory atomically and return the old values";
  let description = [{
    Each element is combined with memory once, even if several lanes hold copies of the element. Every lane that holds
    the element gets the old value.

    C1: value and result have the pointers' shape and layout, and their pointee type as element type.
    C2: `mask` is i1 in the same shape and layout.
    C3: elements are floats for fadd, integers for and, or, xor, add, max, min, umax and umin, and either for xchg.
    C4: elements are 16, 32 or 64 bits wide.

    ```mlir
    %old = hk.atomic_rmw fadd, %p, %v, mask %m sem = relaxed scope = gpu
         : tensor<128x!hk.ptr<f32>, #blocked>, tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_AtomicOpAttr:$op,
    Arg<HK_PointerLike, "", [MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>:$ptr, HK_Value:$value,
    Optional<HK_BoolLike>:$mask, DefaultValuedAttr<HK_MemSemanticAttr, "::hocket::hk::MemSemantic::AcqRel">:$sem,
    DefaultValuedAttr<HK_MemScopeAttr, "::hocket::hk::MemScope::Gpu">:$scope, HK_MemoryOffset:$offset);
  let results = (outs HK_Value:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::hocket::hk::AtomicOp":$op, "::mlir::Value":$ptr,
                                 "::mlir::Value":$value, "::mlir::Value":$mask, "::hocket::hk::MemSemantic":$sem,
                                 "::hocket::hk::MemScope":$scope), [{
    build($_builder, $_state, result, op, ptr, value, mask, sem, scope, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    `` $op `,` $ptr `,` $value (`,` `mask` $mask^)? (`sem` `=` `` $sem^)? (`scope` `=` `` $scope^)?
    (`offset` `=` $offset^)? attr-dict
    `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def HK_AtomicCasOp : HK_Op<"atomic_cas", [HK_AtomicAccess, DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner,
    AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "Compare and swap global memory atomically and return the old values";
  let description = [{
    Each element is compared (bit by bit) and swapped once, even if several lanes hold copies of the element.

    C1: compare, value and result have the pointers' shape and layout, and their pointee type as element type.
    C2: elements are 16, 32 or 64 bits wide.

    ```mlir
    %old = hk.atomic_cas %p, %expected, %desired sem = acquire : !hk.ptr<i32>, i32
    ```
  }];
  let arguments = (ins Arg<HK_PointerLike, "", [MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>:$ptr,
    HK_Value:$compare, HK_Value:$value,
    DefaultValuedAttr<HK_MemSemanticAttr, "::hocket::hk::MemSemantic::AcqRel">:$sem,
    DefaultValuedAttr<HK_MemScopeAttr, "::hocket::hk::MemScope::Gpu">:$scope, HK_MemoryOffset:$offset);
  let results = (outs HK_Value:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$ptr, "::mlir::Value":$compare,
                                 "::mlir::Value":$value, "::hocket::hk::MemSemantic":$sem,
                                 "::hocket::hk::MemScope":$scope), [{
    build($_builder, $_state, result, ptr, compare, value, sem, scope, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $ptr `,` $compare `,` $value (`sem` `=` `` $sem^)? (`scope` `=` `` $scope^)? (`offset` `=` $offset^)? attr-dict
    `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif
