//===- LaneDialect.h - The `lane` dialect: operations of a single lane -------------===//
#ifndef HOCKET_DIALECT_LANE_LANEDIALECT_H
#define HOCKET_DIALECT_LANE_LANEDIALECT_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "dialect/lane/LaneDialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/lane/LaneOps.h.inc"

namespace hocket::lane {

/// Returns the width in bits of a scalar, a pointer or a 1-D vector; 0 for a type that an access cannot have.
unsigned accessBits(mlir::Type type);

} // namespace hocket::lane

#endif
