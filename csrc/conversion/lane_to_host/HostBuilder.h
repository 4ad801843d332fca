//===- HostBuilder.h - Emits operations of a host function -------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_HOSTBUILDER_H
#define HOCKET_CONVERSION_LANE_TO_HOST_HOSTBUILDER_H

#include "emulator_abi/HostAbi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

class HostBuilder {
public:
  HostBuilder(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel);

  mlir::ModuleOp module() const { return moduleOp; }
  mlir::LLVM::LLVMFuncOp function() const { return kernelOp; }

  mlir::OpBuilder builder;
  /// Inserts new operations before `op`, with the location of `op`.
  void at(mlir::Operation *op);
  mlir::Location loc() const { return location; }
  /// Sets the location of new operations.
  void setLoc(mlir::Location loc) { location = loc; }

  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i1(bool value) { return constant(builder.getI1Type(), value); }
  mlir::Value i32(int64_t value) { return constant(builder.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return constant(builder.getI64Type(), value); }
  /// Returns the address of an internal constant that contains `numbers`. Equal constants are shared.
  mlir::Value constantNumbers(llvm::ArrayRef<int32_t> numbers);

  mlir::Value lane() { return kernelOp.getArgument(0); }
  /// Functions that load the field of LaneContext or BlockContext at a byte offset.
  mlir::Value laneField(size_t offset, mlir::Type type);
  mlir::Value blockField(size_t offset, mlir::Type type);

  /// Emits a call of the function `name`, and declares the function at its first use. `result` is null if the function
  /// returns nothing. Calls of the emulator's runtime are typed (RuntimeCalls.h).
  mlir::LLVM::CallOp call(llvm::StringRef name, mlir::Type result, mlir::TypeRange parameters,
                          mlir::ValueRange arguments);

private:
  mlir::ModuleOp moduleOp;
  mlir::LLVM::LLVMFuncOp kernelOp;
  mlir::Location location;
};

} // namespace hocket

#endif
