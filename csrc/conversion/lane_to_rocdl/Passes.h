//===- Passes.h - Passes from lane form to LLVM for AMDGPU ---------------------------------===//
//
// Input:   lane form.
// Output:  LLVM and ROCDL dialect. Position: last, and only if GPU code is generated, because the emulator executes
//          lane operations. WriteMessages also runs for the emulator.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "conversion/lane_to_rocdl/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conversion/lane_to_rocdl/Passes.h.inc"

} // namespace hocket

#endif
