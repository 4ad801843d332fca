//===- LaneToHost.h - Converts one lane of a kernel to a host function --------------===//
//
// Input:    a module in lane form: LLVM dialect with nvvm or rocdl operations, and `lane` operations.
// Output:   LLVM dialect only: the function `hocket_emulated_kernel` (HostAbi.h), calls of the emulator's runtime for
//           all operations that involve other lanes, checks for every access, and the module's table of sites.
// Position: last, instead of the lowering to a GPU. The result is exported to LLVM IR for the host.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_LANETOHOST_H
#define HOCKET_CONVERSION_LANE_TO_HOST_LANETOHOST_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

struct HostCodeOptions {
  bool timing = false;    ///< emit calls that advance the virtual clock (TimedEvents.h)
  bool undefined = false; ///< report uses of undefined values (TrackUndefined.cpp)
  bool unwritten = false; ///< also find uses of array elements that were never written
};

/// Rewrites `module` in place. Emits an error with the name of an operation that the emulator does not support.
mlir::LogicalResult convertLaneToHost(mlir::ModuleOp module, HostCodeOptions options = {});

#define GEN_PASS_REGISTRATION
#define GEN_PASS_DECL
#include "conversion/lane_to_host/Passes.h.inc"

} // namespace hocket

#endif
