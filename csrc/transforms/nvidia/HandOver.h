//===- HandOver.h - Passes captured values to workers ----------------------------------===//
//
// The warps of a worker have not executed the code that computes captured values. Values that every thread can compute
// (constants, addresses in shared memory, arguments of the kernel, block indices, and arithmetic on these) are
// rematerialized at the start of the worker. All others are passed through shared memory:
//
//     slots of 8 bytes     | what to run | first value | second | ...
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_HANDOVER_H
#define HOCKET_TRANSFORMS_NVIDIA_HANDOVER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace hocket {

class HandOver {
public:
  /// Passes values through shared memory from byte `offset` on; `kernel` is the function that passes them.
  HandOver(mlir::LLVM::LLVMFuncOp kernel, int64_t offset) : kernel(kernel), offset(offset) {}

  /// Returns the worker's copy of `value` of the kernel, for a `builder` at the start of the worker.
  mlir::Value take(mlir::OpBuilder &builder, mlir::Value value);
  /// True if workers read values from shared memory.
  bool gives() const { return !given.empty(); }
  /// Writes the values that workers read from shared memory, at the builder's position: once, by one thread, before
  /// they start.
  void give(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Write and read the number of the workers to run.
  void giveNumber(mlir::OpBuilder &builder, mlir::Location loc, int32_t number) const;
  mlir::Value takeNumber(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  mlir::Value slotAddress(mlir::OpBuilder &builder, mlir::Location loc, int64_t slot) const;

  mlir::LLVM::LLVMFuncOp kernel;
  int64_t offset;
  llvm::SmallVector<mlir::Value> given; ///< values by slot, from slot 1 on
};

} // namespace hocket

#endif
