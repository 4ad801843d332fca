// The interface of operations that use mbarriers of a cluster (ClusterAccesses.h).
#ifndef HOCKET_DIALECT_HK_FACTS_CLUSTERINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_CLUSTERINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_ClusterMbarrierUse : OpInterface<"ClusterMbarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An operation that arrives at mbarriers, waits for mbarriers, or starts copies that arrive at mbarriers. In a
    cluster, the mbarriers may belong to other CTAs.
  }];
  let methods = [
    InterfaceMethod<[{True if the operation uses mbarriers of other CTAs of the cluster, which must have initialized
                      them.}],
                    "bool", "getReachesOtherCtas", (ins), [{}], /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"True if the operation is the last one of an expanded hk.cluster_barrier.", "bool",
                    "getEndsClusterBarrier", (ins), [{}], /*defaultImplementation=*/"return false;">,
  ];
}

#endif
