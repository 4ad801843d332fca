//===- CopyWidth.h - How much one lane copies from global memory to LDS -------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_COPYWIDTH_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_COPYWIDTH_H

#include "mlir/IR/Operation.h"
#include "target/TargetInfo.h"

namespace hocket {

/// Whether the instruction of AMD's that `op` is copies `bytes` per lane on `target`; an error where it does not. LLVM
/// aborts at others.
mlir::LogicalResult checkCopyWidth(mlir::Operation *op, int64_t bytes, const TargetInfo &target);

} // namespace hocket

#endif
