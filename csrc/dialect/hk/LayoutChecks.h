//===- LayoutChecks.h - What the verifiers of several layout attributes check ------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTCHECKS_H
#define HOCKET_DIALECT_HK_LAYOUTCHECKS_H

#include "dialect/hk/BasisRows.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"

namespace hocket::hk {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The positive `factors`, which the message calls `name`, multiply to at most `limit`.
mlir::LogicalResult verifyProduct(EmitError emitError, llvm::StringRef name, llvm::ArrayRef<int64_t> factors,
                                  int64_t limit);

/// All values of the parameter `name` are powers of two, and together no larger than a tensor.
mlir::LogicalResult verifyPowersOfTwo(EmitError emitError, llvm::StringRef name, llvm::ArrayRef<int64_t> values);

/// Rows of the parameter `block` say how a tile of `rank` dimensions is dealt to the blocks of a cluster.
mlir::LogicalResult verifyClusterRows(EmitError emitError, const BasisRows &rows, unsigned rank);

/// A tensor of `shape` can have a layout: all sizes are powers of two.
mlir::LogicalResult verifyTensorSizes(EmitError emitError, llvm::ArrayRef<int64_t> shape);

/// And `layout`, of rank `layoutRank`, is for tensors of its rank.
mlir::LogicalResult verifyRankAndSizes(EmitError emitError, llvm::ArrayRef<int64_t> shape, unsigned layoutRank,
                                       mlir::Attribute layout);

} // namespace hocket::hk

#endif
