// The passes of conversion/lane_to_nvvm, in the order in which the pass pipeline runs them.
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_PASSES_TD
#define HOCKET_CONVERSION_LANE_TO_NVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrefetchDescriptors : Pass<"hocket-prefetch-descriptors", "::mlir::ModuleOp"> {
  let summary = "Prefetch tensor descriptors at the start of the kernel";
  let description = [{
    Without this pass, the first copy through a tensor descriptor would wait until the 128 bytes of the descriptor have
    been read from the parameters of the launch. Thread 0 prefetches the descriptors of all copies at the start of the
    kernel. Kernels without descriptor parameters are unchanged.

    ```mlir
    nvvm.cp.async.bulk.tensor.shared.cluster.global   // %first = llvm.icmp "eq" %thread, %zero
                                                      // llvm.cond_br %first, ^bb1, ^bb2
                                                      // ^bb1: nvvm.prefetch tensormap in_param_space, %in
                                                      // llvm.br ^bb2
                                                      // ^bb2:
                                                      // nvvm.cp.async.bulk.tensor.shared.cluster.global
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvertLaneToNvvm : Pass<"hocket-convert-lane-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Expand lane operations to LLVM and NVVM operations and inline PTX";
  let description = [{
    Runs last, and only if GPU code is generated, because the emulator executes lane operations. An operation for which
    LLVM has no equivalent, e.g. a predicated access with a cache policy, is replaced by inline PTX. A division of f32
    with the flag `arcp` is replaced by div.full.f32, a reciprocal with the flags `arcp` and `afn` by
    rcp.approx.ftz.f32, and exp2 with the flag `afn` by ex2.approx.ftz.f32.

    ```mlir
    %v = lane.load %p, pred %c, other %o : ...
                    // %r = llvm.bitcast %o
                    // llvm.inline_asm has_side_effects "@$9 ld.global.v4.b32 {$0, $1, $2, $3}, [$8];" ...
                    // %v = llvm.bitcast ... : vector<4xi32> to vector<8xbf16>
    ```

    ```mlir
    %q = llvm.fdiv %x, %y {fastmathFlags = #llvm.fastmath<arcp>} : f32
                // %q = llvm.call_intrinsic "llvm.nvvm.div.full"(%x, %y)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
