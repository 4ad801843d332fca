//===- WorkerCourse.h - Finds the static order in which workers are launched ------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_WORKERCOURSE_H
#define HOCKET_TRANSFORMS_NVIDIA_WORKERCOURSE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace hocket {

/// Returns `events`, which are operations of the kernel, in execution order; nullopt if the kernel possibly does not
/// execute each of them exactly once, because of branches or loops. Every basic block of the kernel must have a
/// terminator.
std::optional<llvm::SmallVector<mlir::Operation *>> findCourse(mlir::LLVM::LLVMFuncOp kernel,
                                                               llvm::ArrayRef<mlir::Operation *> events);

} // namespace hocket

#endif
