//===- RequireExportable.h - Rejects operations that cannot become LLVM IR of one vendor ---===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_H

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

namespace hocket {

/// Finds types that LLVM does not have, some of which MLIR's LLVM dialect accepts, and values that are too large for a
/// thread.
class LlvmTypeCheck {
public:
  /// Emits an error at `op` if a result or block argument is too large for a thread, or has a type that LLVM does not
  /// have. The type of a global variable, an alloca or a GEP must also be a type of LLVM.
  mlir::LogicalResult check(mlir::Operation *op);

private:
  mlir::LogicalResult check(mlir::Operation *op, mlir::Type type);
  mlir::LogicalResult checkValue(mlir::Operation *op, mlir::Type type);

  llvm::SmallDenseMap<mlir::Type, bool> known;
};

/// Names that only one vendor's code generator accepts.
struct ExportNames {
  llvm::StringRef dialect;    ///< name of the dialect, such as "nvvm"
  llvm::StringRef intrinsics; ///< prefix of the names of intrinsics, such as "llvm.nvvm."
};

/// Creates the pass `hocket-require-exportable`, which reports operations, attributes, intrinsics and types that cannot
/// become LLVM IR for the GPUs of `vendor` ("NVIDIA"), including the names in `others`. Without the pass, exporting the
/// module or running the back end could crash or abort the process.
std::unique_ptr<mlir::Pass> createRequireExportablePass(llvm::StringRef vendor, ExportNames own,
                                                        llvm::ArrayRef<ExportNames> others);

} // namespace hocket

#endif
