//===- RequireExportable.h - Rejects operations that cannot become LLVM IR of one vendor ---===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_H

#include "mlir/Pass/Pass.h"
#include "target/TargetInfo.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

/// Finds types that LLVM does not have, some of which MLIR's LLVM dialect accepts, and values that are too large for a
/// thread.
class LlvmTypeCheck {
public:
  /// Emits an error at `op` if its results or block arguments are such values, or if it allocates a type that LLVM does
  /// not have.
  mlir::LogicalResult check(mlir::Operation *op);

private:
  mlir::LogicalResult check(mlir::Operation *op, mlir::Type type);
  mlir::LogicalResult checkValue(mlir::Operation *op, mlir::Type type);

  llvm::SmallDenseMap<mlir::Type, bool> known;
};

/// Creates the pass `hocket-require-exportable`, which reports operations, attributes, intrinsics and types that cannot
/// become LLVM IR for `target`. Exporting these, or running the back end on them, would crash or abort the process.
std::unique_ptr<mlir::Pass> createRequireExportablePass(const TargetInfo &target);

} // namespace hocket

#endif
