// Blocks of tensors, moved between global and shared memory by TMA (Hopper).
#ifndef HOCKET_DIALECT_HK_NV_TMAOPS_TD
#define HOCKET_DIALECT_HK_NV_TMAOPS_TD

include "dialect/hk/HkEnums.td"
include "dialect/hk_nv/HkNvOpBase.td"
include "dialect/hk_nv/HkNvTypes.td"

def HkNv_TmaStoreOp : HkNv_Op<"tma_store", [HK_AsyncProxyAccess, DeclareOpInterfaceMethods<HK_AsyncAccess>,
                                           DeclareOpInterfaceMethods<HK_AsyncCommit>]> {
  let summary = "Start copying a tile of shared memory to a block of a tensor";
  let description = [{
    One thread of the block starts it, and makes it a group of its own. It goes on asynchronously: until an
    `hk_nv.tma_store_wait` has waited for the group, the tile must not be written (counter `hk_nv.bulk_reads`), and what
    is stored may not be visible (`hk_nv.bulk_writes`). What of the block lies outside of the tensor is not written.

    `policy` says how long the L2 should keep what is written.

    With `reduction`, elements of the tensor become the result of that operation on them and the tile's, atomically.

    The tile is read through the asynchronous proxy: what threads have written before needs a fence between the proxies,
    and a barrier, which the compiler inserts.

    C1: `coords` has an entry per dimension of the block: the coordinates of its first element. They are not negative, and
        the last is a multiple of 16 bytes of elements. (Checked in the emulator.)
    C2: the tile is a whole buffer, or a slot of a ring, with the block's shape, elements and layout.
    C3: `reduction` is not `xchg`, and one that the elements have: `fadd`, `max`, `min` of f16 and bf16, `fadd` of f32,
        `add` and bitwise ones of i32 and i64, `max`, `min`, `umax`, `umin` of those.

    ```mlir
    hk_nv.tma_store %tile, %desc[%row, %col] : !hk.memdesc<64x64xf16, #mma_shared> -> !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    ```
  }];
  let arguments = (ins Arg<HK_MemDesc, "", [MemRead<HK_SharedMemory>]>:$src,
    Arg<HkNv_TensorDesc, "", [MemWrite<HK_GlobalMemory>]>:$desc, Variadic<I32>:$coords,
    OptionalAttr<HK_AtomicOpAttr>:$reduction,
    OptionalAttr<HK_CachePolicyAttr>:$policy);
  let assemblyFormat = [{
    (`reduction` `=` $reduction^)? $src `,` $desc `[` $coords `]` (`policy` `=` $policy^)? attr-dict
    `:` qualified(type($src)) `->` qualified(type($desc))
  }];
  let hasVerifier = 1;
}

def HkNv_TmaStoreWaitOp : HkNv_Op<"tma_store_wait", [MemoryEffects<[MemRead, MemWrite]>,
                                                     DeclareOpInterfaceMethods<HK_AsyncWait>]> {
  let summary = "Wait until at most `outstanding` groups of bulk stores are unfinished";
  let description = [{
    With `read_only`, for the end of their reads of shared memory (`hk_nv.bulk_reads`): tiles may be written again.
    Without, also until what they write is visible to the thread that started them (`hk_nv.bulk_writes`).

    C1: `outstanding` is not negative.

    ```mlir
    hk_nv.tma_store_wait read_only {outstanding = 1 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$outstanding, UnitAttr:$readOnly);
  let assemblyFormat = "(`read_only` $readOnly^)? attr-dict";
}

def HkNv_TmaLoadOp : HkNv_Op<"tma_load", [HK_AsyncProxyAccess, DeclareOpInterfaceMethods<HK_AsyncAccess>]> {
  let summary = "Start copying a block of a tensor to a tile of shared memory";
  let description = [{
    One thread of the block starts it. It goes on asynchronously: the tile may be read by those who have waited for the
    phase of `barrier` in which it arrives. It brings the bytes of the whole tile to the barrier; what lies outside of the
    tensor is written as zeros or NaN, as the descriptor says. `policy` says how long the L2 should keep what is read.

    C1: `coords` has an entry per dimension of the block: the coordinates of its first element. The last is a multiple of
        16 bytes of elements. (Checked in the emulator.)
    C2: the tile is a whole buffer, or a slot of a ring, with the block's shape, elements and layout.
    C3: `barrier` is one mbarrier: `!hk.memdesc<1xi64, ..>`.

    In a cluster, every block loads its own part of the tile, as the layout's `block` says. With `multicast`, of the
    blocks that hold copies of a part only the first loads it, and it arrives in all of them, with its bytes at the
    mbarrier of each.

    ```mlir
    hk_nv.tma_load %desc[%row, %col], %tile, %barrier, %true : !hk_nv.tensor_desc<64x64xf16, #mma_shared> -> !hk.memdesc<64x64xf16, #mma_shared>, !hk.memdesc<1xi64, #bar>
    ```
  }];
  let arguments = (ins Arg<HkNv_TensorDesc, "", [MemRead<HK_GlobalMemory>]>:$desc, Variadic<I32>:$coords,
    Arg<HK_MemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst, HK_MemDesc:$barrier, I1:$pred,
    UnitAttr:$multicast, OptionalAttr<HK_CachePolicyAttr>:$policy);
  let assemblyFormat = [{
    $desc `[` $coords `]` `,` $dst `,` $barrier `,` $pred (`multicast` $multicast^)? (`policy` `=` $policy^)?
    attr-dict
    `:` qualified(type($desc)) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

#endif
