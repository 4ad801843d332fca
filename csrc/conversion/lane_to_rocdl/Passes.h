//===- Passes.h - From lane form to LLVM for AMDGPU ----------------------------------------===//
//
// Input:   lane form.
// Output:  LLVM and ROCDL dialect. Position: last, on the GPU's way only; the emulator executes the lane operations
//          themselves. WriteMessages alone comes before the fork, so that what it writes can be run there.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

/// Unit attribute of a module whose kernel tells the host by memory what it prints and why it stops: WriteMessages.
inline constexpr llvm::StringLiteral kWritesMessagesAttr = "hk.writes_messages";

#define GEN_PASS_DECL
#include "conversion/lane_to_rocdl/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conversion/lane_to_rocdl/Passes.h.inc"

} // namespace hocket

#endif
