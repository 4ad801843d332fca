// The passes of conversion/prof_to_llvm, in the order in which the pass pipeline runs them. ConvertProfToLlvm, whose
// constructor has objects of a vendor as parameters, is in ConvertProfToLlvm.td.
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_PASSES_TD
#define HOCKET_CONVERSION_PROF_TO_LLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandRecords : Pass<"hocket-expand-records", "::mlir::ModuleOp"> {
  let summary = "Expand records to a clock read and a store";
  let description = [{
    Runs on lane form, in which operands are values of one lane. A token is replaced by the first word of the record
    that ends its scope.

    ```mlir
    prof.record begin "a" payload %k : i32 when %c site 3    // %clock = prof.read_clock : i32
                                                             // prof.store_record %tag at %clock : i32 when %c
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
