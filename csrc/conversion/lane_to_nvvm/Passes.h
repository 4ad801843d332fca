//===- Passes.h - Passes from lane form to LLVM for NVPTX ----------------------------------===//
//
// Input:   lane form.
// Output:  LLVM and NVVM dialect, with inline PTX where LLVM has no operation. Position: last, and only if GPU code is
//          generated, because the emulator executes lane operations.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_PASSES_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "conversion/lane_to_nvvm/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "conversion/lane_to_nvvm/Passes.h.inc"

} // namespace hocket

#endif
