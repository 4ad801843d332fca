//===- GuardLastWaits.h - Waits for products, only where a loop has run -------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_GUARDLASTWAITS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_GUARDLASTWAITS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Leaves modules alone that have no products of warpgroups.
std::unique_ptr<mlir::Pass> createGuardLastWaitsPass();

} // namespace hocket

#endif
