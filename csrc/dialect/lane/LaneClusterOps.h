//===- LaneClusterOps.h - Operations of the `lane` dialect between the blocks of a cluster --------===//
#ifndef HOCKET_DIALECT_LANE_LANECLUSTEROPS_H
#define HOCKET_DIALECT_LANE_LANECLUSTEROPS_H

#include "dialect/lane/LaneDialect.h"

#define GET_OP_CLASSES
#include "dialect/lane/LaneClusterOps.h.inc"

#endif
