//===- JoinProducts.h - One wide product for several of the same a ------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPRODUCTS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPRODUCTS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Leaves modules alone that have no products of warpgroups.
std::unique_ptr<mlir::Pass> createJoinProductsPass();

} // namespace hocket

#endif
