// The `lane` dialect: predicated global memory accesses of one lane.
#pragma once
#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "dialect/lane/LaneDialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/lane/LaneOps.h.inc"
