// Operations on clusters: blocks that run concurrently and can access each other's shared memory.
#ifndef HOCKET_DIALECT_HK_IR_CLUSTEROPS_TD
#define HOCKET_DIALECT_HK_IR_CLUSTEROPS_TD

include "dialect/hk/ir/HkOpBase.td"

class HK_ClusterSyncOp<string mnemonic> : HK_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def HK_ClusterArriveOp : HK_ClusterSyncOp<"cluster_arrive"> {
  let summary = "Arrive at the cluster's barrier without waiting";
  let description = [{
    All threads of all blocks of the cluster arrive, then all wait (`hk.cluster_wait`). A thread's memory accesses
    before its arrival are visible to threads that have waited, unless the arrival is `relaxed`.

    C1: the target has clusters. (Checked in the lowering.)

    ```mlir
    hk.cluster_arrive
    hk.cluster_arrive relaxed
    ```
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def HK_ClusterWaitOp : HK_ClusterSyncOp<"cluster_wait"> {
  let summary = "Wait until all threads of the cluster have arrived at its barrier";
  let description = [{
    The operation must follow an `hk.cluster_arrive` of the same thread.

    C1: the target has clusters. (Checked in the lowering.)

    ```mlir
    hk.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def HK_ClusterBarrierOp : HK_ClusterSyncOp<"cluster_barrier"> {
  let summary = "Arrive at the cluster's barrier, and wait for all other threads";
  let description = [{
    The barrier orders accesses of shared and global memory among all threads of the cluster, so it is also a barrier of
    each block. A `relaxed` barrier only waits and orders no accesses.

    C1: the target has clusters. (Checked in the lowering.)

    ```mlir
    hk.cluster_barrier
    hk.cluster_barrier relaxed
    ```
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def HK_CtaRankOp : HK_Op<"cta_rank", [Pure]> {
  let summary = "Return the rank of this block in its cluster";
  let description = [{
    ```mlir
    %rank = hk.cta_rank
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

#endif
