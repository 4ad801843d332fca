// Passes of NVIDIA's GPUs that stay inside a dialect, in the order in which the pipeline runs them. The first four take
// and give tiles (hk, hk_nv), the last one takes and gives the lane form. Kernels for other vendors pass through
// unchanged.
#ifndef HOCKET_TRANSFORMS_NVIDIA_PASSES_TD
#define HOCKET_TRANSFORMS_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandClusterBarriers : Pass<"hocket-expand-cluster-barriers", "::mlir::ModuleOp"> {
  let summary = "Expand barriers of the cluster in partitions of warps";
  let description = [{
    In a partition of `hk.warp_specialize`, an `hk.cluster_barrier` becomes arrivals at mbarriers and waits for them, in
    which the warps that run this partition in all CTAs take part. A conversion between CTAs becomes a store to shared
    memory, and a load from that of other CTAs between two such barriers.

    ```mlir
    hk.cluster_barrier      // hk_nv.mbarrier_arrive %done, 1; hk_nv.mbarrier_wait %done, %0, %is_first; ...
    ```
  }];
  let dependentDialects = ["::hocket::hk_nv::HkNvDialect"];
}

def PlaceDescriptors : Pass<"hocket-place-descriptors", "::mlir::ModuleOp"> {
  let summary = "Place the tensor descriptors that a kernel makes in scratch memory";
  let description = [{
    TMA reads a descriptor from global memory. Each `hk_nv.make_tensor_desc` gets 128 bytes of the launch's scratch
    memory for each block. A worker that captures a descriptor acquires it where the worker begins.

    ```mlir
    hk_nv.make_tensor_desc %base, [%n], [%s]    // hk_nv.make_tensor_desc %base, [%n], [%s] at %place
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::hocket::hk::HkDialect"];
}

def GuardLastWaits : Pass<"hocket-guard-last-waits", "::mlir::ModuleOp"> {
  let summary = "Wait for the wgmma of a loop only if the loop ran";
  let description = [{
    The wait for the accumulators that a loop leaves in flight moves into a branch that is taken if the loop runs. On
    the other path nothing is in flight; a wait there would make ptxas serialize all wgmma of the kernel (C7515).

    ```mlir
    %sum = scf.for %i = %a to %b ...            // %0 = arith.cmpi slt, %a, %b
    hk_nv.warpgroup_mma_wait %sum               // scf.if %0 { scf.for ...; hk_nv.warpgroup_mma_wait } else { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FuseWgmma : Pass<"hocket-fuse-wgmma", "::mlir::ModuleOp"> {
  let summary = "Fuse wgmmas that share operand A and have adjacent tiles of B";
  let description = [{
    Several `hk_nv.warpgroup_mma` of one `a`, whose tiles `b` are adjacent slots of a ring buffer, become one
    `hk_nv.fused_warpgroup_mma` with wider instructions, which read `a` once. The waits of the function then count the
    fused groups.

    ```mlir
    %d0 = hk_nv.warpgroup_mma %a, %b0, %c0      // %d:2 = hk_nv.fused_warpgroup_mma %a, %b0, %c0, %c1
    %d1 = hk_nv.warpgroup_mma %a, %b1, %c1
    ```
  }];
  let dependentDialects = ["::hocket::hk_nv::HkNvDialect"];
}

def JoinPartitions : Pass<"hocket-join-partitions", "::mlir::ModuleOp"> {
  let summary = "Make one kernel of the functions of all partitions";
  let description = [{
    The function of each worker of `hk.warp_specialize` becomes blocks of its kernel. The worker's warps branch to them
    at the start of the kernel and meet the other warps at barrier 1, where a partition starts and where it ends.

    ```mlir
    lane.start_workers 0        // nvvm.barrier id = 1; the blocks of the worker follow a switch over the warp's number
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif
