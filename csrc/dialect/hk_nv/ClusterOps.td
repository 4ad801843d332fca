// Between the blocks of a cluster: stores to each other's shared memory.
#ifndef HOCKET_DIALECT_HK_NV_CLUSTEROPS_TD
#define HOCKET_DIALECT_HK_NV_CLUSTEROPS_TD

include "dialect/hk_nv/HkNvOpBase.td"

def HkNv_AsyncStoreOp : HkNv_Op<"async_store", [DeclareOpInterfaceMethods<HK_AsyncAccess>,
                                               DeclareOpInterfaceMethods<HK_SharedBarrierUse>]> {
  let summary = "Start storing a tile to the shared memory of those blocks of the cluster that have its elements";
  let description = [{
    Each block that runs it stores what it holds of `value`: an element goes to the block that has it in `dst`, and where
    several blocks have copies of it, to each of these; of copies that blocks hold in both, each block stores its own.
    Replicas that threads of one block hold are stored once.

    It goes on asynchronously: the tile may be read by those who have waited for the phase of `barrier` in which it
    arrives. Its bytes come to the mbarrier of the block that they are stored to. What that block did with the tile
    before, it must be through with; the compiler orders what the storing block's own warps did.

    C1: value and handle have the same shape and element type.
    C2: `barrier` is one mbarrier: `!hk.memdesc<1xi64, ..>`.
    C3: the module has clusters (hk.num_ctas) of at least two blocks.
    C4: a lane's neighbours in memory are 4 bytes or more. (Checked in the lowering.)

    ```mlir
    hk_nv.async_store %x, %tile, %bar : tensor<128xf32, #blocked> -> !hk.memdesc<128xf32, #shared>, !hk.memdesc<1xi64, #bar>
    ```
  }];
  let arguments = (ins HK_Tensor:$value, Arg<HK_MemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst,
    Arg<HK_MemDesc, "", [MemWrite<HK_SharedMemory>]>:$barrier);
  let assemblyFormat = [{
    $value `,` $dst `,` $barrier attr-dict `:` type($value) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

#endif
