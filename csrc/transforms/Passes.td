// Passes inside the hk dialect, in the order in which the pipeline runs them.
#ifndef HOCKET_TRANSFORMS_PASSES_TD
#define HOCKET_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def UnrollLoops : Pass<"hocket-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "Make several iterations of a loop into one";
  let description = [{
    Unrolls every `scf.for` with `hk.unroll` by that factor; the iterations that are left over become a second loop.

    ```mlir
    scf.for %i = %c0 to %n step %c1 : i32 {     // for %i = %c0 to %m step %c2 { use %i; use %i + 1 }
      ..use %i..                                // for %i = %m to %n step %c1 { use %i }
    } {hk.unroll = 2 : i32}                     // with %m = %n / 2 * 2
    ```
  }];
}

def WarpPipelinePartition : Pass<"hocket-warp-pipeline-partition", "::mlir::ModuleOp"> {
  let summary = "Make the marked stages of warp pipelines into regions";
  let description = [{
    What stands between `hk_amd.stage_begin` and `hk_amd.stage_end` becomes the region of a `hk_amd.stage`. The stages
    directly in the body of a `scf.for` are one pipeline, and the loop gets `hk_amd.pipelined`; elsewhere two or more
    stages in a row are. Scalar arithmetic between stages joins the next one, or the last. What would break the rhythm of
    the two groups of warps is an error.

    ```mlir
    hk_amd.stage_begin "load"                   // %x = hk_amd.stage "load" -> f32 {
    %x = hk.load %p : !hk.ptr<f32> -> f32       //   %v = hk.load %p : !hk.ptr<f32> -> f32
    hk_amd.stage_end                            //   hk_amd.stage_yield %v : f32
                                                // }
    ```
  }];
  let dependentDialects = ["::hocket::hk_amd::HkAmdDialect"];
}

def AllocateShared : Pass<"hocket-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "Place buffers and scratch space in shared memory";
  let description = [{
    Gives every `hk.local_alloc`, and every operation that moves data through scratch memory, a byte offset
    (`hk.offset`), and the module its total (`hk.shared_bytes`). Pieces that are never live together may overlap.

    ```mlir
    %a = hk.local_alloc %x : (..) -> !hk.memdesc<64xf32, #shared>     // {hk.offset = 0 : i32}
    %y = hk.local_load %a : ..
    %b = hk.local_alloc %y : (..) -> !hk.memdesc<64xf32, #shared>     // {hk.offset = 0 : i32}: a is dead
    ```
  }];
}

def InsertBarriers : Pass<"hocket-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Insert the barriers that hazards in shared memory need";
  let description = [{
    Inserts `hk.barrier local` between accesses of shared memory that different lanes may do to the same bytes, unless
    a barrier of the user, of scratch memory or of an earlier hazard is already in between. Needs the offsets of
    `hocket-allocate-shared`.

    ```mlir
    hk.local_store %x, %a : ..
    hk.barrier local            // inserted
    %y = hk.local_load %a : ..
    ```
  }];
}

#endif
