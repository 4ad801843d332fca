// The interface of operations that use mbarriers of a cluster (ClusterAccesses.h).
#ifndef HOCKET_DIALECT_HK_FACTS_CLUSTERINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_CLUSTERINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_ClusterMbarrierUse : OpInterface<"ClusterMbarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Arrives at mbarriers, waits for them, or starts copies that arrive at them. In a cluster, the mbarriers may be those
    of other CTAs.
  }];
  let methods = [
    InterfaceMethod<[{True if the operation uses mbarriers of other CTAs of the cluster, which must have initialized
                      them.}],
                    "bool", "getReachesOtherCtas", (ins), [{}], /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"True for the last of the operations to which an hk.cluster_barrier has been expanded.", "bool",
                    "getEndsClusterBarrier", (ins), [{}], /*defaultImplementation=*/"return false;">,
  ];
}

#endif
