//===- RequireExportable.h - What becomes LLVM IR is of one vendor -------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_H

#include "mlir/Pass/Pass.h"
#include "target/TargetInfo.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

/// Finds types that LLVM does not have, which MLIR's LLVM dialect lets pass in part, and values that no thread could
/// hold.
class LlvmTypeCheck {
public:
  /// An error at `op` if its results or its blocks' arguments are such values, or LLVM has no type for what it
  /// allocates.
  mlir::LogicalResult check(mlir::Operation *op);

private:
  mlir::LogicalResult check(mlir::Operation *op, mlir::Type type);
  mlir::LogicalResult checkValue(mlir::Operation *op, mlir::Type type);

  llvm::SmallDenseMap<mlir::Type, bool> known;
};

/// The pass `hocket-require-exportable`: an error at an operation, an attribute, an intrinsic or a type that does not
/// become LLVM IR for `target`. Exporting it, or the vendor's back end, would crash or end the process.
std::unique_ptr<mlir::Pass> createRequireExportablePass(const TargetInfo &target);

} // namespace hocket

#endif
