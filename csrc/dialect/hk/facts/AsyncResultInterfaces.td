// The interface of operations whose results are written to registers asynchronously (AsyncResults.h).
#ifndef HOCKET_DIALECT_HK_FACTS_ASYNCRESULTINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_ASYNCRESULTINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AsyncResults : OpInterface<"AsyncResults"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The results are in registers that are written after the operation has been issued, like those of wgmma. No
    operation may access these registers before a wait on the counter has completed it, except operations of this kind
    that accumulate into the same registers.
  }];
  let methods = [
    InterfaceMethod<"Returns the counter whose waits complete the results.", "::hocket::hk::AsyncCounter",
                    "getCounterOfResults">,
    InterfaceMethod<[{Returns the operand whose registers become those of the result. It may itself be pending,
                      because such operations complete in order. Null if the result has fresh registers.}],
                    "::mlir::OpOperand *", "getOperandInPlace">,
    InterfaceMethod<"Returns operands in registers, which are read until it completes.",
                    "::llvm::SmallVector<::mlir::Value, 1>", "getRegistersInUse">,
    InterfaceMethod<"Leaves its group open, so that the next operation joins it.", "void", "leaveGroupOpen">,
    InterfaceMethod<[{Creates a wait that leaves `outstanding` groups pending. Its results are the `values`, in order,
                      which are read after the wait.}],
                    "::mlir::Operation *", "createWait",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$values,
                         "unsigned":$outstanding)>,
    InterfaceMethod<"Returns `value`, which other waits have completed, as a value that is read from here on.",
                    "::mlir::Value", "createFinished",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::Value":$value)>,
  ];
}

#endif
