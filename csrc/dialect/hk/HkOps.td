// Operations of the `hk` dialect, by family. Each description includes the synchronization behavior.
#ifndef HOCKET_DIALECT_HK_HKOPS_TD
#define HOCKET_DIALECT_HK_HKOPS_TD

include "dialect/hk/ProgramOps.td"
include "dialect/hk/ClusterOps.td"
include "dialect/hk/TensorOps.td"
include "dialect/hk/PointerOps.td"
include "dialect/hk/GlobalMemoryOps.td"
include "dialect/hk/SharedMemoryOps.td"
include "dialect/hk/AsyncOps.td"
include "dialect/hk/ReduceAndDotOps.td"
include "dialect/hk/ScanAndGatherOps.td"
include "dialect/hk/PerElementOps.td"
include "dialect/hk/SchedulingOps.td"
include "dialect/hk/PartitionOps.td"
include "dialect/hk/StageOps.td"

#endif
