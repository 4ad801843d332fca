//===- GuardLastWaits.h - Executes the wait for wgmmas after a loop only if the loop has run -===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_GUARDLASTWAITS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_GUARDLASTWAITS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Creates the pass. It does not change modules without wgmma.
std::unique_ptr<mlir::Pass> createGuardLastWaitsPass();

} // namespace hocket

#endif
