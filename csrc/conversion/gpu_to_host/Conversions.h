//===- Conversions.h - The steps of gpu_to_host --------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_CONVERSIONS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_CONVERSIONS_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

/// Each converts `op` if it is one of its family: true when it did, false when it is not its own, failure (with the
/// error reported) when it is but cannot be converted.
using Converted = mlir::FailureOr<bool>;
Converted convertLaneOp(HostFunction &host, mlir::Operation *op);
Converted convertSharedAccess(HostFunction &host, mlir::Operation *op);
Converted convertNvvmOp(HostFunction &host, mlir::Operation *op);
Converted convertRocdlOp(HostFunction &host, mlir::Operation *op);
Converted convertIntrinsicCall(HostFunction &host, mlir::Operation *op);
/// Division by zero stops a host process, conversions out of range differ from a GPU's, fences name GPU scopes.
Converted convertHostHazard(HostFunction &host, mlir::Operation *op);

/// Makes every loop give way to other lanes now and then.
void insertTicks(HostFunction &host);

/// Makes all pointers of the module plain host pointers.
void eraseAddressSpaces(mlir::ModuleOp module);

/// Replaces `op` by a call of the LLVM intrinsic `name` on `arguments`.
void replaceByIntrinsic(HostFunction &host, mlir::Operation *op, llvm::StringRef name, mlir::ValueRange arguments);

/// `value` (an int, float or pointer of at most 64 bits, or a vector of that size) as an i64, and back.
mlir::Value widenToI64(HostFunction &host, mlir::Value value);
mlir::Value narrowFromI64(HostFunction &host, mlir::Value bits, mlir::Type type);
/// Size of a value of `type` in memory, 0 if it has none.
int64_t bitWidthOf(mlir::Type type);

} // namespace hocket

#endif
