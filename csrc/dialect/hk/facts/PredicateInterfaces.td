// The interface of operations under a predicate (Predicated.h).
#ifndef HOCKET_DIALECT_HK_FACTS_PREDICATEINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_PREDICATEINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_Predicated : OpInterface<"Predicated"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation has no effect if its predicate, an operand, is false.
  }];
  let methods = [
    InterfaceMethod<"The predicate, an i1; null if the operation has none.", "::mlir::Value", "getPredicate", (ins),
                    [{}], /*defaultImplementation=*/[{ return $_op.getPred(); }]>,
  ];
}

#endif
