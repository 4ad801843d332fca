// Interfaces of operations: what analyses ask instead of naming operations of a vendor.
#ifndef HOCKET_DIALECT_HK_HKOPINTERFACES_TD
#define HOCKET_DIALECT_HK_HKOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AsyncCopy : OpInterface<"AsyncCopy"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A copy into shared memory that is finished only once `hk.async_wait_group` has waited for its group.
  }];
  let methods = [
    InterfaceMethod<"The tile of shared memory that is written.", "::mlir::OpOperand &", "getDstMutable">,
  ];
}

#endif
