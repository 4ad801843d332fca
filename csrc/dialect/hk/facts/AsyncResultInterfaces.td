// The interface of operations whose results are written to registers asynchronously (AsyncResults.h).
#ifndef HOCKET_DIALECT_HK_FACTS_ASYNCRESULTINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_ASYNCRESULTINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AsyncResults : OpInterface<"AsyncResults"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The results are in registers that are written after the operation has been issued, like the results of wgmma. Before
    a wait on the operation's counter, no operation may access these registers, except operations with this interface
    that accumulate into them.
  }];
  let methods = [
    InterfaceMethod<"Returns the counter whose waits complete the results.", "::hocket::hk::AsyncCounter",
                    "getCounterOfResults">,
    InterfaceMethod<[{Returns the operand whose registers the result reuses; null if the result has new registers.
                         The operand may itself be pending, because such operations complete in order.}],
                    "::mlir::OpOperand *", "getOperandInPlace">,
    InterfaceMethod<"Returns the register operands that the operation may read until it completes.",
                    "::llvm::SmallVector<::mlir::Value, 1>", "getRegistersInUse">,
    InterfaceMethod<"Leaves the group uncommitted, so that the next operation joins it.", "void", "leaveGroupOpen">,
    InterfaceMethod<[{Creates a wait that leaves at most `outstanding` groups pending. The results of the wait are the
                         `values`, in the same order, for use after the wait.}],
                    "::mlir::Operation *", "createWait",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$values,
                         "unsigned":$outstanding)>,
    InterfaceMethod<"Converts `value`, which earlier waits have completed, to a value that later operations may use.",
                    "::mlir::Value", "createFinished",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::Value":$value)>,
  ];
}

#endif
