// RequireExportable, which takes names of a vendor: createRequireExportablePass makes it.
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_TD
#define HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_TD

include "mlir/Pass/PassBase.td"

def RequireExportable : Pass<"hocket-require-exportable", "::mlir::ModuleOp"> {
  let summary = "Reject what cannot become LLVM IR of one vendor";
  let description = [{
    Reports the first operation, attribute, intrinsic or type that cannot become LLVM IR for the GPUs of a vendor, among
    them those of other vendors. Exporting these, or running the back end on them, would abort the process.

    ```mlir
    %y = arith.addf %x, %x : f32     // error: 'arith.addf' does not become LLVM IR for AMD GPUs
    ```
  }];
  let constructor = "createRequireExportablePass(vendor, own, others)";
}

#endif
