// Definitions of the passes that only the tool hocket-opt registers.
#ifndef HOCKET_TOOLS_PASSES_TD
#define HOCKET_TOOLS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintAxisInfo : Pass<"hocket-print-axis-info", "::mlir::func::FuncOp"> {
  let summary = "Print the results of AxisInfo as remarks";
  let description = [{
    Emits remarks: the analysis results at every operation with integer or pointer results, and the possible vector
    width at every access of global memory.

    ```mlir
    hk.load %p : tensor<1024x!hk.ptr<f32>>   // remark: 4 elements along dimension 0
    ```
  }];
}

#endif
