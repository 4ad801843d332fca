// Declares RequireExportable. createRequireExportablePass creates it, because its constructor has names of a vendor as
// parameters.
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_TD
#define HOCKET_CONVERSION_LANE_TO_LLVM_REQUIREEXPORTABLE_TD

include "mlir/Pass/PassBase.td"

def RequireExportable : Pass<"hocket-require-exportable", "::mlir::ModuleOp"> {
  let summary = "Reject operations that cannot be exported to LLVM IR for a vendor's GPUs";
  let description = [{
    Emits an error at the first operation, attribute, intrinsic or type that cannot be exported to LLVM IR for the GPUs
    of a vendor, for example because it belongs to another vendor. Exporting such an operation, or running the back end
    on it, would abort the process.

    ```mlir
    %y = arith.addf %x, %x : f32     // error: 'arith.addf' has no translation to LLVM IR for AMD GPUs
    ```
  }];
  let constructor = "createRequireExportablePass(vendor, own, others)";
}

#endif
