//===- HandOver.h - Passes captured values to workers ----------------------------------===//
//
// The warps of a worker have not executed the code that computes captured values. Captured values that every thread can
// compute (constants, addresses in shared memory, arguments of the kernel, block indices, and arithmetic on these) are
// rematerialized at the start of the worker. Other captured values are passed through shared memory:
//
//     slots of 8 bytes     | number of the workers to run | first value | second value | ...
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_HANDOVER_H
#define HOCKET_TRANSFORMS_NVIDIA_HANDOVER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace hocket {

class HandOver {
public:
  /// `kernel` is the function that computes the captured values; `offset` is the byte offset of the slots in shared
  /// memory.
  HandOver(mlir::LLVM::LLVMFuncOp kernel, int64_t offset) : kernel(kernel), offset(offset) {}

  /// Emits code at the start of a worker that rematerializes `value` or reads it from shared memory; returns the
  /// result.
  mlir::Value take(mlir::OpBuilder &builder, mlir::Value value);
  /// True if workers read values from shared memory.
  bool gives() const { return !given.empty(); }
  /// Emits the stores of the values that workers read from shared memory. One thread must execute the stores before the
  /// workers start.
  void give(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Functions that emit the store, and the load, of the number that selects the workers to run.
  void giveNumber(mlir::OpBuilder &builder, mlir::Location loc, int32_t number) const;
  mlir::Value takeNumber(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  mlir::Value slotAddress(mlir::OpBuilder &builder, mlir::Location loc, int64_t slot) const;

  mlir::LLVM::LLVMFuncOp kernel;
  int64_t offset;
  llvm::SmallVector<mlir::Value> given; ///< the values that are passed in slots 1, 2, ...
};

} // namespace hocket

#endif
