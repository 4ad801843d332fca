// The interface of operations whose results arrive in registers later (AsyncResults.h).
#ifndef HOCKET_DIALECT_HK_ASYNCRESULTINTERFACES_TD
#define HOCKET_DIALECT_HK_ASYNCRESULTINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AsyncResults : OpInterface<"AsyncResults"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Its results are in registers that are written after the operation has returned, as those of the product of a
    warpgroup are. Nobody may touch these registers before a wait on the counter has finished it, except an operation of
    this kind that goes on with them in place.
  }];
  let methods = [
    InterfaceMethod<"The counter whose waits finish the results.", "::hocket::hk::AsyncCounter",
                    "getCounterOfResults">,
    InterfaceMethod<[{The operand whose registers become those of the result: it may itself be unfinished, for such
                      operations are done one after the other. None if it begins with fresh ones.}],
                    "::mlir::OpOperand *", "getOperandInPlace">,
    InterfaceMethod<"Operands in registers, which are read until it is finished.",
                    "::llvm::SmallVector<::mlir::Value, 1>", "getRegistersInUse">,
    InterfaceMethod<"Leaves its group open for what is started next.", "void", "leaveGroupOpen">,
    InterfaceMethod<[{Makes a wait that leaves `outstanding` groups unfinished, and gives back the `values`, in order,
                      such that they are read after it.}],
                    "::mlir::Operation *", "createWait",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$values,
                         "unsigned":$outstanding)>,
    InterfaceMethod<"Gives back `value`, which other waits have finished, such that it is read here.", "::mlir::Value",
                    "createFinished",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::Value":$value)>,
  ];
}

#endif
