// The interface of operations under a predicate (Predicated.h).
#ifndef HOCKET_DIALECT_HK_FACTS_PREDICATEINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_PREDICATEINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_Predicated : OpInterface<"Predicated"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation has a predicate as an operand. If the predicate is false, the operation has no effect.
  }];
  let methods = [
    InterfaceMethod<"Returns the predicate, an i1; null if there is none.", "::mlir::Value", "getPredicate", (ins),
                    [{}], /*defaultImplementation=*/[{ return $_op.getPred(); }]>,
  ];
}

#endif
