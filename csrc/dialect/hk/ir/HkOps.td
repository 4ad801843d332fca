// Operations of the `hk` dialect, by family. The description of each operation includes its synchronization behavior.
#ifndef HOCKET_DIALECT_HK_IR_HKOPS_TD
#define HOCKET_DIALECT_HK_IR_HKOPS_TD

include "dialect/hk/ir/ProgramOps.td"
include "dialect/hk/ir/ClusterOps.td"
include "dialect/hk/ir/TensorOps.td"
include "dialect/hk/ir/PointerOps.td"
include "dialect/hk/ir/GlobalMemoryOps.td"
include "dialect/hk/ir/SharedMemoryOps.td"
include "dialect/hk/ir/AsyncOps.td"
include "dialect/hk/ir/ReduceAndDotOps.td"
include "dialect/hk/ir/ScanAndGatherOps.td"
include "dialect/hk/ir/PerElementOps.td"
include "dialect/hk/ir/SchedulingOps.td"
include "dialect/hk/ir/PartitionOps.td"
include "dialect/hk/ir/StageOps.td"
include "dialect/hk/ir/PipelineBarrierOps.td"

#endif
