//===- WorkerCourse.h - Finds the static order in which workers are launched ------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_WORKERCOURSE_H
#define HOCKET_TRANSFORMS_NVIDIA_WORKERCOURSE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace hocket {

/// Returns `events`, operations of the kernel, in execution order, if the kernel executes each of them exactly once
/// before it ends; nullopt if a branch or a loop determines whether or how often an operation is executed. Every basic
/// block of the kernel must have a terminator.
std::optional<llvm::SmallVector<mlir::Operation *>> findCourse(mlir::LLVM::LLVMFuncOp kernel,
                                                               llvm::ArrayRef<mlir::Operation *> events);

} // namespace hocket

#endif
