// Stores from a block of a cluster to the shared memory of other blocks.
#ifndef HOCKET_DIALECT_HK_NV_CLUSTEROPS_TD
#define HOCKET_DIALECT_HK_NV_CLUSTEROPS_TD

include "dialect/hk/facts/ClusterInterfaces.td"
include "dialect/hk_nv/HkNvOpBase.td"

def HkNv_AsyncStoreOp : HkNv_Op<"async_store", [DeclareOpInterfaceMethods<HK_AsyncAccess>,
                                               DeclareOpInterfaceMethods<HK_SharedBarrierUse>,
                                               HK_ClusterMbarrierUse]> {
  let summary = "Start storing a tile to the shared memory of the blocks of the cluster that own its elements";
  let description = [{
    Each block that executes the operation stores its elements of `value`: an element goes to the block that owns the
    element in `dst`, and to every block with a copy of the element. If the same blocks hold copies of both operands,
    each block stores its own copy. An element that several threads of one block hold is stored once.

    The stores are asynchronous: a thread may read the tile after it has waited for the phase of `barrier` in which the
    tile arrives. The mbarrier of the destination block counts the bytes. The kernel must make sure that the destination
    block has completed its earlier accesses of the tile. The compiler orders only earlier accesses by warps of the
    storing block.

    C1: value and handle have the same shape and element type.
    C2: `barrier` is one mbarrier: `!hk.memdesc<1xi64, ..>`.
    C3: the module has clusters (hk.num_ctas) of at least two blocks.
    C4: each lane has at least 4 contiguous bytes in memory. (Checked in the lowering.)

    The front end sets `reaches_other_ctas`, because the stores use the mbarriers of other blocks.

    ```mlir
    hk_nv.async_store %x, %tile, %bar : tensor<128xf32, #blocked> -> !hk.memdesc<128xf32, #shared>, !hk.memdesc<1xi64, #bar>
    ```
  }];
  let arguments = (ins HK_Tensor:$value, Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst,
    Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$barrier, UnitAttr:$reaches_other_ctas);
  let assemblyFormat = [{
    $value `,` $dst `,` $barrier (`reaches_other_ctas` $reaches_other_ctas^)? attr-dict
    `:` type($value) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

#endif
