//===- WorkerCourse.h - Finds the static order in which workers are launched ------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_WORKERCOURSE_H
#define HOCKET_TRANSFORMS_NVIDIA_WORKERCOURSE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace hocket {

/// Returns `events`, which are operations of the kernel, in execution order. Returns nullopt if a branch or a loop
/// possibly prevents that each of `events` is executed exactly once. Every basic block of the kernel must have a
/// terminator.
std::optional<llvm::SmallVector<mlir::Operation *>> findCourse(mlir::LLVM::LLVMFuncOp kernel,
                                                               llvm::ArrayRef<mlir::Operation *> events);

} // namespace hocket

#endif
