//===- JoinProducts.h - Fuses adjacent wgmmas that share operand A ------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPRODUCTS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPRODUCTS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Creates the pass. It does not change modules without wgmma.
std::unique_ptr<mlir::Pass> createJoinProductsPass();

} // namespace hocket

#endif
