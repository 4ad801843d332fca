// Passes on the hk dialect, in the order in which the pass pipeline runs them.
#ifndef HOCKET_TRANSFORMS_PASSES_TD
#define HOCKET_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecideLayouts : Pass<"hocket-decide-layouts", "::mlir::ModuleOp"> {
  let summary = "Decide the layout of every tensor that has no layout";
  let description = [{
    A tensor in `#hk.auto` gets the layout of the tensors with which operations combine it. If these tensors have no
    layout, or if the tensor is in `#hk.coalesced`, the tensor gets a layout in which accesses of global memory are
    coalesced. A tensor for which two layouts are required is an error. Addresses, masks and constants are instead
    recomputed in each required layout.

    ```mlir
    %i = hk.arange 0 to 512 : tensor<512xi32, #hk.auto>       // %i = hk.arange 0 to 512 : tensor<512xi32, #blocked>
    %x = hk.load %a : ... -> tensor<512xf32, #hk.auto>        // %x = hk.load %a : ... -> tensor<512xf32, #blocked>
    %y = hk.set_layout %x : ... -> tensor<512xf32, #blocked>  // uses of %y become uses of %x
    ```
  }];
}

def RequireDecidedLayouts : Pass<"hocket-require-decided-layouts", "::mlir::ModuleOp"> {
  let summary = "Reject tensors whose layout is not decided";
  let description = [{
    A tensor in a layout such as `#hk.auto` is an error. After this pass, the layout of every tensor has a linear map.

    ```mlir
    %tile = hk.splat %x : i32 -> tensor<16x32xi32, #hk.auto>
    // error: cannot infer the layout of this tensor of shape [16, 32]
    ```
  }];
}

def CheckWarpBranches : Pass<"hocket-check-warp-branches", "::mlir::ModuleOp"> {
  let summary = "Reject operations of all warps in branches that single warps take";
  let description = [{
    The result of `hk.any_in_warp` differs between warps, and must only be the condition of an `scf.if`. The operations
    inside this `scf.if` must not exchange values between warps. The only memory accesses inside this `scf.if` may be
    reads of shared memory. Only one warp may hold each element of the results of the `scf.if`, because copies in other
    warps would differ.

    ```mlir
    %any = hk.any_in_warp %large : tensor<128x8xi1, #rows>
    %y = scf.if %any -> tensor<128x8xf32, #rows> {              // accepted: arithmetic and reads of shared memory
      %z = hk.local_load %tile : !hk.memdesc<128x8xf32, #shared> -> tensor<128x8xf32, #rows>
      scf.yield %z : tensor<128x8xf32, #rows>
    } else {
      scf.yield %x : tensor<128x8xf32, #rows>
    }
    ```
  }];
}

def CheckMissingWarps : Pass<"hocket-check-missing-warps", "::mlir::ModuleOp"> {
  let summary = "Reject operations that need values of warps that do not exist";
  let description = [{
    In a kernel with 12 warps, layouts have 16 warps, of which the last four do not exist. An operation that exchanges
    values between warps is accepted only if the values pass within groups of four consecutive warps, or if the
    operation is a scalar atomic. Other exchanges could need an element that no warp holds.

    ```mlir
    %c = hk.convert_layout %x : tensor<128x32xf32, #rows> -> tensor<128x32xf32, #columns>
    // error: this layout conversion would need elements of warps 12 to 15, which do not exist in a kernel with num_warps=12
    ```
  }];
}

def NumberBarriers : Pass<"hocket-number-barriers", "::mlir::ModuleOp"> {
  let summary = "Assign hardware numbers to named barriers";
  let description = [{
    Partitions use the first hardware numbers for their own barriers; named barriers get the next numbers. A named
    barrier that can never complete a phase, or at which no warp waits, is an error.

    ```mlir
    hk_nv.named_barrier_wait 0 num_warps = 4     // hk_nv.named_barrier_wait 0 num_warps = 4 number = 2
    ```
  }];
}

def MergeEqualReads : Pass<"hocket-merge-equal-reads"> {
  let summary = "Merge equal reads of a basic block if no write is between them";
  let description = [{
    This pass takes linear time. `cse` runs later and also merges equal reads, but takes quadratic time.

    ```mlir
    %a = hk.load %p : !hk.ptr<i32> -> i32
    %b = hk.load %p : !hk.ptr<i32> -> i32     // uses of %b become uses of %a
    %sum = arith.addi %a, %b : i32
    ```
  }];
}

def UnrollLoops : Pass<"hocket-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "Unroll loops";
  let description = [{
    Unrolls every `scf.for` with the attribute `hk.unroll` by the attribute's factor. The remaining iterations become a
    second loop.

    ```mlir
    %r = scf.for %i = %lower to %upper step %step iter_args(%acc = %c0) -> (i32) : i32 {
      %next = arith.addi %acc, %i : i32
      scf.yield %next : i32
    } {hk.unroll = 2 : i32}

    // %groups = scf.for %i = %lower to %middle step %wide iter_args(%acc = %c0) -> (i32) : i32 {
    //   %x = arith.addi %acc, %i
    //   %j = arith.addi %i, %step
    //   %y = arith.addi %x, %j
    //   scf.yield %y
    // }
    // %r = scf.for %i = %middle to %upper step %step iter_args(%acc = %groups) -> (i32) : i32 {
    //   %x = arith.addi %acc, %i
    //   scf.yield %x
    // }
    ```
  }];
}

def PrepareScans : Pass<"hocket-prepare-scans", "::mlir::ModuleOp"> {
  let summary = "Convert operands of scans to layouts in which scans can be lowered";
  let description = [{
    If `plans/ScanPlan.h` finds no plan for the layout of an `hk.scan`, the operands are converted to a layout in which
    adjacent lanes hold adjacent elements along the axis, and the results are converted back.

    ```mlir
    %y = hk.scan %x axis = 0 {...}           // %a = hk.convert_layout %x
                                             // %b = hk.scan %a axis = 0 {...}
                                             // %y = hk.convert_layout %b
    ```
  }];
}

def SplitClusterReductions : Pass<"hocket-split-cluster-reductions", "::mlir::ModuleOp"> {
  let summary = "Split reductions across the CTAs of a cluster into two steps";
  let description = [{
    If several CTAs of a cluster hold elements along the axis of an `hk.reduce`, each CTA first reduces its own
    elements. A layout conversion then sends the results of all CTAs to all CTAs, and each CTA reduces them.

    ```mlir
    %s = hk.reduce %x axis = 0 {...}           // %y = hk.reshape %x : ... -> tensor<2x32x32xf32, ...>
                                               // %z = hk.reduce %y axis = 1 {...}
                                               // %w = hk.convert_layout %z : tensor<2x32xf32, ...>
                                               // %s = hk.reduce %w axis = 0 {...}
    ```
  }];
}

def FormStages : Pass<"hocket-form-stages", "::mlir::ModuleOp"> {
  let summary = "Form the stages of warp pipelines in marked loops";
  let description = [{
    In loops with `hk.auto_stages`, the pass groups the operations of the body into stages, and moves waits for
    asynchronous copies between the stages. The stages are markers, as in a kernel with stages. The pass estimates the
    clocks of an iteration with and without stages. A loop for which stages are not faster is unchanged. A remark gives
    both estimates, or the reason why no stages can be formed.

    ```mlir
    scf.for %i = ... {                     // scf.for %i = ... {
      hk.async_wait_group                  //   hk.stage_begin "shared" {priority = 1 : i32}
      %x = hk.local_load %slot             //   %x = hk.local_load %slot
      %d = hk_amd.mfma %x, ...             //   hk.stage_end
    } {hk.auto_stages}                     //   hk.async_wait_group
                                           //   hk.stage_begin "matrix" {priority = 0 : i32}
                                           //   %d = hk_amd.mfma %x, ...
                                           //   hk.stage_end
                                           // }
    ```
  }];
  let options = [
    Option<"beforeWaits", "before-waits", "bool", "false",
           "Form stages only in loops with asynchronous MMAs, whose waits have not been placed yet">];
}

def DeferExchanges : Pass<"hocket-defer-exchanges", "::mlir::ModuleOp"> {
  let summary = "Divide exchanges between warps over two stages of a warp pipeline";
  let description = [{
    A layout conversion, a reduction over warps or a gather through shared memory requires a barrier, but warps cannot
    wait for each other inside a stage. The pass divides such an operation into a store in its stage and a load in the
    stage that first uses the result. The slots between the two stages are the barrier. It is an error if the first use
    is not late enough.

    ```mlir
    hk.stage_begin "convert"                // hk.stage_begin "convert"
    %y = hk.convert_layout %x : ...         // hk.local_store %x, %tile
    hk.stage_end                            // hk.stage_end
    hk.stage_begin "use"                    // hk.stage_begin "use"
    hk.store %p, %y : ...                   // %y = hk.local_load %tile
    hk.stage_end                            // hk.store %p, %y
    ```
  }];
}

def WarpPipelinePartition : Pass<"hocket-warp-pipeline-partition", "::mlir::ModuleOp"> {
  let summary = "Outline the marked stages of warp pipelines into regions";
  let description = [{
    The code between `hk.stage_begin` and `hk.stage_end` becomes the region of an `hk.stage`. The stages directly in the
    body of an `scf.for` are one pipeline, and the loop gets `hk.pipelined`. In straight-line code, two or more
    consecutive stages are one pipeline. Scalar arithmetic between stages moves into the next stage or, at the end of a
    loop, into the last stage. Operations that would change the lags of the groups of warps are errors.

    ```mlir
    hk.stage_begin "load" {priority = 1 : i32}    // %x = hk.stage "load" priority = 1 -> ... {
    %x = hk.local_load %slot : ...                //   %v = hk.local_load %slot
    hk.stage_end                                  //   hk.stage_yield %v
                                                  // }
    ```
  }];
}

def MinimizeWaits : Pass<"hocket-minimize-waits", "::mlir::ModuleOp"> {
  let summary = "Place, check and relax waits for asynchronous operations";
  let description = [{
    If a function starts asynchronous copies and contains no commits or waits, the pass inserts commits and waits. In
    other functions, an access that certainly lacks a wait is an error. The pass removes unnecessary waits and relaxes
    waits that are stronger than needed, with remarks.

    ```mlir
    hk.async_copy_to_shared %p, %a          // hk.async_copy_to_shared %p, %a
                                            // hk.async_commit_group
    %y = ...                                // %y = ...
                                            // hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %a                   // %x = hk.local_load %a
    ```
  }];
}

def Prefetch : Pass<"hocket-prefetch", "::mlir::ModuleOp"> {
  let summary = "Software-pipeline loops that load tiles";
  let description = [{
    The pass overlaps iterations of loops that copy tiles from global to shared memory, if the loop or the module has
    `hk.num_stages`. A load is issued `hk.num_stages` - 1 iterations before the use of its tile.

    ```mlir
    scf.for %i = ... {                            // load(0); local_store
      %x = hk.load %p                             // scf.for %i = ... {
      hk.local_store %x, %tile                    //   %x = load(i + 1)
      %a = hk.local_load %tile                    //   %a = hk.local_load %tile; ...
      ...                                         //   hk.sched_barrier
    } {hk.num_stages = 2 : i32}                   //   hk.local_store %x, %tile
                                                  // }
                                                  // %a = hk.local_load %tile; ...
    ```
  }];
  let options = [
    Option<"doubleBuffer", "double-buffer", "bool", "true", "Give buffers a second slot if the occupancy allows it">,
    Option<"schedBarrier", "sched-barrier", "bool", "true", "Insert scheduling barriers before stores">];
}

def AllocateMemory : Pass<"hocket-allocate-memory", "::mlir::ModuleOp"> {
  let summary = "Allocate buffers and scratch space in shared memory and other memory spaces";
  let description = [{
    Every `hk.local_alloc`, and every operation that uses scratch memory, gets a byte offset (`offset`). The module's
    attributes for the total bytes are increased (`hk.shared_bytes` for shared memory). Allocations of one memory space
    that are never live at the same time can overlap.

    ```mlir
    %a = hk.local_alloc %x : ...     // %a = hk.local_alloc %x offset = 0
    %y = hk.local_load %a : ...      // the last use of %a
    %b = hk.local_alloc %y : ...     // %b = hk.local_alloc %y offset = 0
    ```
  }];
}

def WarpPipelineLowering : Pass<"hocket-warp-pipeline-lowering", "::mlir::ModuleOp"> {
  let summary = "Lower the stages of warp pipelines to barriers";
  let description = [{
    The high group of warps is delayed with respect to the low group, and one barrier is inserted between adjacent
    stages. If a hazard in shared or global memory requires it, a barrier also waits for the accesses of the warp. A
    race that these barriers cannot prevent is an error. The pass requires the offsets that `hocket-allocate-memory`
    assigns.

    ```mlir
    scf.for ... iter_args(%c = %x) -> !v : i32 {  // hk.barrier local
      %a = hk.stage "double" -> !v {              // hk.group_barrier high
        %t = arith.addf %c, %c : !v               // scf.for ... iter_args(%c = %x) -> ... : i32 {
        hk.stage_yield %t : !v                    //   %a = arith.addf %c, %c
      }                                           //   hk.sched_barrier
      %b = hk.stage "square" -> !v {              //   hk.slot_barrier
        %t = arith.mulf %a, %a : !v               //   %b = arith.mulf %a, %a
        hk.stage_yield %t : !v                    //   hk.sched_barrier
      }                                           //   hk.slot_barrier
      scf.yield %b : !v                           //   scf.yield %b
    } {hk.pipelined = 1 : i32}                    // }
                                                  // hk.group_barrier low
    ```
  }];
}

def InsertBarriers : Pass<"hocket-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Insert barriers for hazards in shared memory and other memory spaces";
  let description = [{
    Two accesses of the same bytes by different lanes require a barrier in between if one access is a write. If the
    program has no such barrier, the pass inserts one: `hk.barrier local` for shared memory, or the barrier of another
    memory space. One barrier can order several pairs of accesses. In clusters, the pass inserts `hk.cluster_barrier`
    between accesses of the same bytes by different CTAs. The pass requires the offsets that `hocket-allocate-memory`
    assigns.

    ```mlir
    %a = hk.local_alloc %x : ...     // %a = hk.local_alloc %x
    %y = hk.local_load %a : ...      // hk.barrier local
                                     // %y = hk.local_load %a
    ```
  }];
}

def InsertProxyFences : Pass<"hocket-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "Insert fences for accesses through the async proxy";
  let description = [{
    If lanes store to shared memory and a later operation accesses the same bytes through the async proxy, a barrier or
    an arrival orders the two accesses. The pass inserts an `hk.proxy_fence` before this barrier or arrival. For stores
    to global memory, the pass inserts an `hk.proxy_fence global`. The pass also rejects a bulk load of a tile that a
    bulk store is possibly still writing. The pass runs after `hocket-insert-barriers`.

    ```mlir
    %a = hk.local_alloc %x : ...                    // %a = hk.local_alloc %x
    hk.barrier                                      // hk.proxy_fence
    %d = hk_nv.warpgroup_mma %a, %a, %c : ...       // hk.barrier
                                                    // %d = hk_nv.warpgroup_mma %a, %a, %c
    ```
  }];
}

#endif
