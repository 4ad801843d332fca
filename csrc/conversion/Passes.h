//===- Passes.h - The passes of csrc/conversion ----------------------------------------------===//
#ifndef HOCKET_CONVERSION_PASSES_H
#define HOCKET_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace hocket {

/// hk_to_llvm for every vendor: the pass takes the target from the module.
std::unique_ptr<mlir::Pass> createConvertHkToLlvmPass();

/// prof_to_llvm, likewise.
std::unique_ptr<mlir::Pass> createConvertProfToLlvmPass();

/// Makes the passes of this folder and those below it known to hocket-opt, all but gpu_to_host.
void registerConversionPasses();

} // namespace hocket

#endif
