// TMA copies of tensor blocks between global and shared memory (Hopper).
#ifndef HOCKET_DIALECT_HK_NV_TMAOPS_TD
#define HOCKET_DIALECT_HK_NV_TMAOPS_TD

include "dialect/hk/ir/HkEnums.td"
include "dialect/hk/facts/ClusterInterfaces.td"
include "dialect/hk/facts/PredicateInterfaces.td"
include "dialect/hk_nv/HkNvOpBase.td"
include "dialect/hk_nv/HkNvTypes.td"

def HkNv_TmaStoreOp : HkNv_Op<"tma_store", [HK_AsyncProxyAccess, DeclareOpInterfaceMethods<HK_AsyncAccess>,
                                           DeclareOpInterfaceMethods<HK_AsyncCommit>]> {
  let summary = "Start copying a tile of shared memory to a block of a tensor";
  let description = [{
    One thread of the block starts the store, which forms a separate bulk group. The store is asynchronous: until an
    `hk_nv.tma_store_wait` has waited for the group, the tile must not be written (counter `hk_nv.bulk_reads`), and the
    stored data may be invisible (counter `hk_nv.bulk_writes`). Elements outside of the tensor are not written.

    `policy` is the L2 eviction priority of the written data.

    With `reduction`, the store atomically combines elements of the tensor with elements of the tile by that operation.

    The tile is read through the async proxy: earlier writes of threads need a proxy fence and a barrier, which the
    compiler inserts.

    C1: `coords` are the coordinates of the block's first element, one for each dimension. Coordinates are not negative,
        and the last coordinate, in bytes, is a multiple of 16. (Checked in the emulator.)
    C2: the tile is a whole buffer or a slot of a ring buffer, with the block's shape, elements and layout.
    C3: `reduction` is not `xchg`, and is supported for the elements: `fadd`, `max`, `min` of f16 and bf16, `fadd` of
        f32, `add` and bitwise operations of i32 and i64, `max`, `min`, `umax`, `umin` of i32 and i64.

    ```mlir
    hk_nv.tma_store %tile, %desc[%row, %col] : !hk.memdesc<64x64xf16, #mma_shared> -> !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    ```
  }];
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$src,
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
  let summary = "Wait until at most `outstanding` groups of bulk stores are pending";
  let description = [{
    With `read_only`, the operation waits until the stores have read shared memory (`hk_nv.bulk_reads`), so that the
    kernel may overwrite the tiles. Without `read_only`, the operation also waits until the writes of the stores are
    visible to the thread that started them (`hk_nv.bulk_writes`).

    `implied` marks a wait that the compiler has inserted.

    C1: `outstanding` is not negative.

    ```mlir
    hk_nv.tma_store_wait read_only {outstanding = 1 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$outstanding, UnitAttr:$readOnly, UnitAttr:$implied);
  let assemblyFormat = "(`read_only` $readOnly^)? (`implied` $implied^)? attr-dict";
}

def HkNv_TmaLoadOp : HkNv_Op<"tma_load", [HK_AsyncProxyAccess, HK_ClusterMbarrierUse, HK_Predicated,
                                         DeclareOpInterfaceMethods<HK_AsyncAccess>]> {
  let summary = "Start copying a block of a tensor to a tile of shared memory";
  let description = [{
    One thread of the block starts the load, which is asynchronous: a thread may read the tile after it has waited for
    the phase of `barrier` in which the tile arrives. The mbarrier counts the bytes of the whole tile. Elements outside
    of the tensor are written as zeros or NaN, depending on the descriptor. `policy` is the L2 eviction priority of the
    data.

    C1: `coords` are the coordinates of the block's first element, one for each dimension. The last coordinate, in
        bytes, is a multiple of 16. (Checked in the emulator.)
    C2: the tile is a whole buffer or a slot of a ring buffer, with the block's shape, elements and layout.
    C3: `barrier` is one mbarrier: `!hk.memdesc<1xi64, ..>`.

    In a cluster, every block loads its own part of the tile, which the layout's `block` defines. With `multicast`, only
    the first of the blocks that hold copies of a part loads the part. The data arrive in all of these blocks, and each
    block's mbarrier counts the bytes. `reaches_other_ctas` is set if the load uses the mbarriers of other blocks.

    ```mlir
    hk_nv.tma_load %desc[%row, %col], %tile, %barrier, %true : !hk_nv.tensor_desc<64x64xf16, #mma_shared> -> !hk.memdesc<64x64xf16, #mma_shared>, !hk.memdesc<1xi64, #bar>
    ```
  }];
  let arguments = (ins Arg<HkNv_TensorDesc, "", [MemRead<HK_GlobalMemory>]>:$desc, Variadic<I32>:$coords,
    Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst, HK_SharedMemDesc:$barrier, I1:$pred,
    UnitAttr:$multicast, OptionalAttr<HK_CachePolicyAttr>:$policy, UnitAttr:$reaches_other_ctas);
  let assemblyFormat = [{
    $desc `[` $coords `]` `,` $dst `,` $barrier `,` $pred (`multicast` $multicast^)? (`policy` `=` $policy^)?
    (`reaches_other_ctas` $reaches_other_ctas^)? attr-dict
    `:` qualified(type($desc)) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

#endif
