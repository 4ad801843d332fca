//===- Passes.h - The passes of csrc/conversion ----------------------------------------------===//
#ifndef HOCKET_CONVERSION_PASSES_H
#define HOCKET_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace hocket {

/// Creates hk_to_lane for every vendor: the pass reads the target from the module.
std::unique_ptr<mlir::Pass> createConvertHkToLanePass();

/// Creates prof_to_llvm for every vendor.
std::unique_ptr<mlir::Pass> createConvertProfToLlvmPass();

/// Registers the passes of this folder and its subfolders with hocket-opt, except lane_to_host.
void registerConversionPasses();

} // namespace hocket

#endif
