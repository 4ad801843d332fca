// All operations of the `lane` dialect, for docs/ops.md.
#ifndef HOCKET_DIALECT_LANE_LANEALLOPS_TD
#define HOCKET_DIALECT_LANE_LANEALLOPS_TD

include "dialect/lane/LaneClusterOps.td"
include "dialect/lane/LaneOps.td"

#endif
