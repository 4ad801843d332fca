//===- Passes.h - The passes of csrc/conversion ----------------------------------------------===//
#ifndef HOCKET_CONVERSION_PASSES_H
#define HOCKET_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace hocket {

/// hk_to_llvm for every vendor: the pass takes the target from the module.
std::unique_ptr<mlir::Pass> createConvertHkToLlvmPass();

/// Makes the passes of this folder known to hocket-opt:
///   hocket-convert-hk-to-llvm, hocket-convert-lane-to-nvvm, hocket-convert-lane-to-rocdl
void registerConversionPasses();

} // namespace hocket

#endif
