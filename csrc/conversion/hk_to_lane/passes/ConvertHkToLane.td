// The pass ConvertHkToLane. createConvertHkToLanePass creates it with the TargetLowering of a vendor.
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_CONVERTHKTOLANE_TD
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_CONVERTHKTOLANE_TD

include "mlir/Pass/PassBase.td"

def ConvertHkToLane : Pass<"hocket-convert-hk-to-lane", "::mlir::ModuleOp"> {
  let summary = "Lower operations on tiles to operations of one lane";
  let description = [{
    Each operation on tensors is replaced by one operation per register of a lane, and each tensor by these registers.
    The vendor's `TargetLowering` emits instructions that differ between vendors. Shared memory must have been
    allocated, barriers inserted, and loops converted to branches.

    ```mlir
    %c = arith.addf %a, %b : tensor<256xf32, #l>      // %c0 = llvm.fadd %a0, %b0 : f32
                                                      // %c1 = llvm.fadd %a1, %b1 : f32
    ```
  }];
  let constructor = "createConvertHkToLanePass(factory)";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::ROCDL::ROCDLDialect", "::hocket::lane::LaneDialect"];
}

#endif
