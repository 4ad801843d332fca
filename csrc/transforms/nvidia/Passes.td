// Passes for NVIDIA GPUs that do not change the level of the IR, in the order in which the pass pipeline runs them.
// Input and output are hk and hk_nv, except for JoinPartitions, whose input and output are the lane form. Kernels for
// other vendors are unchanged.
#ifndef HOCKET_TRANSFORMS_NVIDIA_PASSES_TD
#define HOCKET_TRANSFORMS_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandClusterBarriers : Pass<"hocket-expand-cluster-barriers", "::mlir::ModuleOp"> {
  let summary = "Expand barriers of the cluster in partitions of warps";
  let description = [{
    In a partition of `hk.warp_specialize`, an `hk.cluster_barrier` becomes arrivals at mbarriers and waits for these
    mbarriers. The warps that run this partition in all CTAs execute them. A layout conversion between CTAs becomes a
    store to shared memory and a load from the shared memory of other CTAs, with a barrier before and after the load.

    ```mlir
    hk.worker "meet" num_warps = 4 {   // %done = hk.local_alloc : () -> !hk.memdesc<1xi64, ...>
      hk.cluster_barrier               // hk_nv.mbarrier_init %done, 2
      hk.worker_end                    // hk.worker "meet"(%done, %free) ... {
    }                                  //   hk_nv.mbarrier_arrive %done, 1
                                       //   hk_nv.mbarrier_wait %free, ... ends_cluster_barrier
    ```
  }];
  let dependentDialects = ["::hocket::hk_nv::HkNvDialect"];
}

def PlaceDescriptors : Pass<"hocket-place-descriptors", "::mlir::ModuleOp"> {
  let summary = "Allocate scratch memory for tensor descriptors that a kernel builds";
  let description = [{
    TMA reads descriptors from global memory. Each `hk_nv.make_tensor_desc` is assigned 128 bytes of the launch's
    scratch memory for each block. A worker that captures a descriptor begins with an acquire fence for the descriptor.

    ```mlir
    hk_nv.make_tensor_desc %base, [%n], [%s]    // hk_nv.make_tensor_desc %base, [%n], [%s] at %place
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::hocket::hk::HkDialect"];
}

def GuardLastWaits : Pass<"hocket-guard-last-waits", "::mlir::ModuleOp"> {
  let summary = "Execute the wait for wgmmas of a loop only if the loop runs";
  let description = [{
    A wait for accumulators that a loop leaves in flight moves, together with the loop, into a branch that is taken if
    the loop runs. Without this branch, a path around the loop reaches the wait with no wgmma in flight, and ptxas
    serializes all wgmmas of the kernel (warning C7515).

    ```mlir
    %sum = scf.for %i = %c0 to %n step %c1 ... {    // %runs = arith.cmpi slt, %c0, %n : i32
      ...                                           // %r:2 = scf.if %runs {
    }                                               //   %sum = scf.for %i = %c0 to %n ...
    %done = hk_nv.warpgroup_mma_wait %sum           //   %done = hk_nv.warpgroup_mma_wait %sum
                                                    //   scf.yield %sum, %done
                                                    // } else {
                                                    //   scf.yield %zeros, %zeros
                                                    // }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FuseWgmma : Pass<"hocket-fuse-wgmma", "::mlir::ModuleOp"> {
  let summary = "Fuse wgmmas that share operand A and have adjacent tiles of B";
  let description = [{
    Several `hk_nv.warpgroup_mma` that have the same `a`, and adjacent slots of a circular buffer as `b`, become one
    `hk_nv.fused_warpgroup_mma`. The wider instructions read `a` once. The waits of the function are renumbered.

    ```mlir
    %d0 = hk_nv.warpgroup_mma %a, %b0, %c0      // %d:2 = hk_nv.fused_warpgroup_mma %a, %b0, %c0, %c1
    %d1 = hk_nv.warpgroup_mma %a, %b1, %c1
    ```
  }];
  let dependentDialects = ["::hocket::hk_nv::HkNvDialect"];
}

def JoinPartitions : Pass<"hocket-join-partitions", "::mlir::ModuleOp"> {
  let summary = "Merge the functions of all partitions into one kernel";
  let description = [{
    The function of each worker of `hk.warp_specialize` becomes basic blocks of the kernel. At the start of the kernel,
    the warps of workers branch to a wait at barrier 1. The warps of the default partition arrive at barrier 1 at the
    beginning and at the end of each `hk.warp_specialize`.

    ```mlir
    lane.start_workers [@kernel.copy.0](...) ...   // llvm.cond_br %is_main, ^main, ^wait
    lane.store %x, %n : ...                        // ^main: nvvm.barrier id = %one number_of_threads = %all
    lane.join_workers                              // lane.store %x, %n
                                                   // nvvm.barrier id = %one number_of_threads = %all
                                                   // ^worker: lane.store %x, %zero
                                                   // llvm.switch %warp : i32, ...
                                                   // ^wait: nvvm.barrier id = %one number_of_threads = %all
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif
