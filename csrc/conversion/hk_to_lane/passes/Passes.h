//===- Passes.h - The passes before and after the conversion of hk_to_lane -------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_PASSES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_PASSES_H

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "conversion/hk_to_lane/passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conversion/hk_to_lane/passes/Passes.h.inc"

} // namespace hocket

#endif
