//===- CopyWidth.h - Checks the width of copies from global memory to LDS -----------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_COPYWIDTH_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_COPYWIDTH_H

#include "mlir/IR/Operation.h"
#include "target/TargetInfo.h"
#include <string>

namespace hocket {

/// Returns the sizes of copies into LDS on `target` as text, such as "4 or 16".
std::string listCopyWidths(const TargetInfo &target);

/// Checks that the AMD instruction for `op` can copy `bytes` per lane on `target`; otherwise emits an error. LLVM would
/// abort the process for other widths.
mlir::LogicalResult checkCopyWidth(mlir::Operation *op, int64_t bytes, const TargetInfo &target);

} // namespace hocket

#endif
