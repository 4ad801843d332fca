// Asynchronous copies from global into shared memory, and commit groups of these copies.
#ifndef HOCKET_DIALECT_HK_IR_ASYNCOPS_TD
#define HOCKET_DIALECT_HK_IR_ASYNCOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_AsyncCopyToSharedOp : HK_Op<"async_copy_to_shared", [AttrSizedOperandSegments, HK_MaskMatchesPtr,
    DeclareOpInterfaceMethods<HK_AsyncAccess>, DeclareOpInterfaceMethods<HK_GlobalAccess>]> {
  let summary = "Start copying global memory through pointers into shared memory";
  let description = [{
    The copy is asynchronous: the waiting warp may read the tile after an `hk.async_wait_group` for the copy's group;
    other warps may read the tile after a barrier that follows the wait. Masked elements become `other`, or 0. The
    copied data do not pass through registers.

    C1: the tile has the pointers' shape, and their pointee type as element type.
    C2: `mask` is i1 in the pointers' shape and layout; `other` is a tensor of the tile's elements in that layout.
    C3: `other` is given only together with `mask`.
    C4: each lane copies elements that are contiguous both in the tile's memory and in global memory, in chunks of the
        size of one copy instruction: 4, 8 or 16 bytes on NVIDIA; on AMD, the sizes of `hk_amd.buffer_load_to_shared`,
        and the chunks of consecutive lanes must be contiguous, too. (Checked in the lowering.)

    ```mlir
    hk.async_copy_to_shared %ptrs, %tile : tensor<64x64x!hk.ptr<f16>, #blocked> -> !hk.memdesc<64x64xf16, #shared>
    ```
  }];
  let arguments = (ins Arg<HK_PointerTensor, "", [MemRead<HK_GlobalMemory>]>:$ptr,
    Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst, Optional<HK_BoolTensor>:$mask, Optional<HK_Tensor>:$other,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    OptionalAttr<HK_CachePolicyAttr>:$policy);
  let assemblyFormat = [{
    $ptr `,` $dst (`,` `mask` $mask^ (`,` `other` $other^ `:` type($other))?)? (`cache` `=` `` $cache^)?
    (`policy` `=` $policy^)? attr-dict `:` type($ptr) `->` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def HK_AsyncCommitGroupOp : HK_Op<"async_commit_group", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<HK_AsyncCommit>]> {
  let summary = "Commit all asynchronous copies since the last commit as one group";
  let description = [{
    Groups are counted per warp, in program order; a group may be empty. The counter is `hk.copy_groups`.

    ```mlir
    hk.async_commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def HK_AsyncWaitGroupOp : HK_Op<"async_wait_group", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<HK_AsyncWait>]> {
  let summary = "Wait until at most `outstanding` groups of asynchronous copies are pending";
  let description = [{
    The newest `outstanding` groups may still be in flight. The operation orders copies of the waiting warp only: for
    copies of other warps, the compiler inserts a barrier before the first access after the wait. `implied` marks a wait
    that the compiler has inserted.

    C1: `outstanding` is not negative.

    ```mlir
    hk.async_wait_group {outstanding = 1 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$outstanding, UnitAttr:$implied);
  let assemblyFormat = "(`implied` $implied^)? attr-dict";
}

#endif
