//===- LayoutChecks.h - Common checks of layout attributes' verifiers --------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_LAYOUTCHECKS_H
#define HOCKET_DIALECT_HK_LAYOUTS_LAYOUTCHECKS_H

#include "dialect/hk/layouts/BasisRows.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"

namespace hocket::hk {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Verifies that the positive `factors`, multiplied together, are at most `limit`. The error message calls the factors
/// `name`.
mlir::LogicalResult verifyProduct(EmitError emitError, llvm::StringRef name, llvm::ArrayRef<int64_t> factors,
                                  int64_t limit);

/// Verifies that all values of the parameter `name` are powers of two that, multiplied together, are at most the
/// largest tensor size.
mlir::LogicalResult verifyPowersOfTwo(EmitError emitError, llvm::StringRef name, llvm::ArrayRef<int64_t> values);

/// Verifies that the rows of the parameter `block` describe how a tile of `rank` dimensions is split among the blocks
/// of a cluster.
mlir::LogicalResult verifyClusterRows(EmitError emitError, const BasisRows &rows, unsigned rank);

/// Verifies that a tensor of `shape` can have a layout: all sizes are powers of two.
mlir::LogicalResult verifyTensorSizes(EmitError emitError, llvm::ArrayRef<int64_t> shape);

/// Verifies that all sizes of `shape` are powers of two, and that its rank is `layoutRank`, the rank of `layout`.
mlir::LogicalResult verifyRankAndSizes(EmitError emitError, llvm::ArrayRef<int64_t> shape, unsigned layoutRank,
                                       mlir::Attribute layout);

} // namespace hocket::hk

#endif
