//===- WorkerCourse.h - Whether workers know what comes next ----------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_WORKERCOURSE_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_WORKERCOURSE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace hocket {

/// `events`, operations of the kernel, in the order in which it comes to them, if it comes to each of them once before
/// it ends. Nothing if a branch or a loop decides. The kernel is a whole one: every block has its terminator.
std::optional<llvm::SmallVector<mlir::Operation *>> findCourse(mlir::LLVM::LLVMFuncOp kernel,
                                                               llvm::ArrayRef<mlir::Operation *> events);

} // namespace hocket

#endif
