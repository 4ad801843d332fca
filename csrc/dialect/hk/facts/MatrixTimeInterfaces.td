// The interface of operations that occupy matrix units for a known time (MatrixTime.h).
#ifndef HOCKET_DIALECT_HK_FACTS_MATRIXTIMEINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_MATRIXTIMEINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_MatrixTime : OpInterface<"MatrixTime"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An MMA whose matrix instructions are known. Their number and their duration give the time for which each warp
    occupies the matrix unit of its SIMD. The module must have hk.target.
  }];
  let methods = [
    InterfaceMethod<"Returns the matrix instructions that one warp executes.", "::hocket::hk::MatrixWork",
                    "getMatrixWork">,
  ];
}

#endif
