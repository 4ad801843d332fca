//===- Passes.h - Passes from lane form to LLVM for AMDGPU ---------------------------------===//
//
// Input:   lane form.
// Output:  LLVM and ROCDL dialect. Position: last, and only if GPU code is generated, because the emulator executes
//          lane operations. Only WriteMessages runs for the emulator, too.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

/// Unit attribute of a module whose kernel writes prints and failed assertions to host memory (WriteMessages).
inline constexpr llvm::StringLiteral kWritesMessagesAttr = "hk.writes_messages";

#define GEN_PASS_DECL
#include "conversion/lane_to_rocdl/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conversion/lane_to_rocdl/Passes.h.inc"

} // namespace hocket

#endif
