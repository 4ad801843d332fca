// Declares ConvertProfToLlvm. createConvertProfToLlvmPass creates it, because its constructor has objects of a vendor
// as parameters.
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_CONVERTPROFTOLLVM_TD
#define HOCKET_CONVERSION_PROF_TO_LLVM_CONVERTPROFTOLLVM_TD

include "mlir/Pass/PassBase.td"

def ConvertProfToLlvm : Pass<"hocket-convert-prof-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower records of the profiler to lane form";
  let description = [{
    Runs on lane form of one kernel, after ExpandRecords. The buffer of records becomes the last implicit argument of
    the kernel or, if the buffer is static, a variable of the module. Each record becomes a predicated store to the
    buffer.

    ```mlir
    %c = prof.read_clock : i32              // %c = nvvm.read.ptx.sreg.clock : i32
    prof.store_record %tag at %c : i32      // lane.store %address, %words, pred %is_first_lane : ..., vector<2xi32>
    ```
  }];
  let constructor = "createConvertProfToLlvmPass(lowering, clocks)";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::ROCDL::ROCDLDialect",
                           "::hocket::lane::LaneDialect"];
}

#endif
