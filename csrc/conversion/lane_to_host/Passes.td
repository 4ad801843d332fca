// The pass of conversion/lane_to_host, for hocket-opt. The emulator's pipeline calls convertLaneToHost directly.
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PASSES_TD
#define HOCKET_CONVERSION_LANE_TO_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLaneToHost : Pass<"hocket-convert-lane-to-host", "::mlir::ModuleOp"> {
  let summary = "Convert the kernel to a host function for the emulator";
  let description = [{
    The kernel becomes a function that runs one lane. Operations that involve other lanes, or memory other than the
    lane's stack, become calls of the emulator's runtime (emulator_abi/HostAbi.def). An argument of each call identifies
    the operation: it is the number of an entry in the module's table of sites.

    ```mlir
    %v = lane.load %p, pred %c, other %o : ...  // %q = llvm.call @hocket_emulator_global(%lane, %p, %site, %c)
                                                // %w = llvm.load %q; %v = llvm.select %c, %w, %o
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"timing", "timing", "bool", "false", "keep a virtual clock">,
    Option<"undefined", "undefined", "bool", "false", "find uses of undefined values">,
    Option<"unwritten", "unwritten", "bool", "false", "find uses of array elements that were never written">
  ];
}

#endif
