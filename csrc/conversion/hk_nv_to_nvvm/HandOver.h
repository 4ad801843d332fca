//===- HandOver.h - How a worker gets the values that it captures ----------------------===//
//
// The warps of a worker have not run the code in which captured values were made. What every thread can make for itself
// (constants, addresses in shared memory, arguments of the kernel, the block's place in the grid, and arithmetic on
// these) it makes again where the worker begins. Anything else goes through shared memory:
//
//     slots of 8 bytes     | what to run | first value | second | ..
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_HANDOVER_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_HANDOVER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace hocket {

class HandOver {
public:
  /// Through shared memory from byte `offset` on; `kernel` is the function that hands over.
  HandOver(mlir::LLVM::LLVMFuncOp kernel, int64_t offset) : kernel(kernel), offset(offset) {}

  /// What `value` of the kernel is for a worker, where `builder` is: at its start.
  mlir::Value take(mlir::OpBuilder &builder, mlir::Value value);
  /// Whether workers have taken anything from shared memory.
  bool gives() const { return !given.empty(); }
  /// Writes what workers have taken from shared memory, where the builder is: once, by one thread, before they start.
  void give(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Writes and reads which workers are to run.
  void giveNumber(mlir::OpBuilder &builder, mlir::Location loc, int32_t number) const;
  mlir::Value takeNumber(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  mlir::Value slotAddress(mlir::OpBuilder &builder, mlir::Location loc, int64_t slot) const;

  mlir::LLVM::LLVMFuncOp kernel;
  int64_t offset;
  llvm::SmallVector<mlir::Value> given; ///< by slot, from slot 1 on
};

} // namespace hocket

#endif
