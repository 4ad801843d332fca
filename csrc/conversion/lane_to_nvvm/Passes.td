// The passes of conversion/lane_to_nvvm, in the order in which the pipeline runs them.
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_PASSES_TD
#define HOCKET_CONVERSION_LANE_TO_NVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrefetchDescriptors : Pass<"hocket-prefetch-descriptors", "::mlir::ModuleOp"> {
  let summary = "Prefetch tensor descriptors at the start of the kernel";
  let description = [{
    The first copy through a tensor descriptor would wait until its 128 bytes have been read from the parameters of the
    launch. Thread 0 prefetches the descriptors of all copies first. Kernels without such parameters are unchanged.

    ```mlir
    ^bb0:                                  // ^bb0: %first = thread 0;  llvm.cond_br %first, ^bb1, ^bb2
      nvvm.cp.async.bulk.tensor... %desc   // ^bb1: nvvm.prefetch tensormap in_param_space, %desc;  llvm.br ^bb2
                                           // ^bb2: nvvm.cp.async.bulk.tensor... %desc
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvertLaneToNvvm : Pass<"hocket-convert-lane-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Expand lane operations to LLVM and NVVM operations and inline PTX";
  let description = [{
    Runs last, and only on the path to GPU code; the emulator executes the lane operations themselves. An operation for
    which LLVM has no equivalent, e.g. a predicated access with a cache policy, becomes inline PTX. Divisions of f32 that
    allow it (`arcp`) become div.full.f32.

    ```mlir
    %v = lane.load %p, pred %c, other %o : ... // llvm.inline_asm "mov %o; @$c ld.global.v4.f32 ..."
    llvm.fdiv %x, %y {arcp} : f32              // llvm.call_intrinsic "llvm.nvvm.div.full"(%x, %y)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
