// Clusters: blocks that run together, one program, and reach each other's shared memory.
#ifndef HOCKET_DIALECT_HK_CLUSTEROPS_TD
#define HOCKET_DIALECT_HK_CLUSTEROPS_TD

include "dialect/hk/HkOpBase.td"

class HK_ClusterSyncOp<string mnemonic> : HK_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def HK_ClusterArriveOp : HK_ClusterSyncOp<"cluster_arrive"> {
  let summary = "Tell the cluster's barrier that this thread has come so far, and go on";
  let description = [{
    All threads of all blocks of the cluster arrive, then all wait (`hk.cluster_wait`). What a thread did to memory before
    it arrived is visible to those that have waited; not if the arrival is `relaxed`.

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
    Follows an `hk.cluster_arrive` of the same thread.

    C1: the target has clusters. (Checked in the lowering.)

    ```mlir
    hk.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def HK_ClusterBarrierOp : HK_ClusterSyncOp<"cluster_barrier"> {
  let summary = "Arrive at the cluster's barrier, and wait for all others";
  let description = [{
    Orders accesses of shared and global memory among all threads of the cluster, so it is a barrier of each block, too;
    not if it is `relaxed`, which only makes them wait.

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
  let summary = "Return the number of this block in its cluster";
  let description = [{
    ```mlir
    %rank = hk.cta_rank
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

#endif
