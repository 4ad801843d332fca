// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-allocate-memory --hocket-warp-pipeline-lowering
//
// What warps of one group exchange among themselves (groups.mlir), but with no slot between, or a wait too
// late. The lag is not in the distances then.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Within one stage.
func.func @within_stage(%n: i32, %m: i32, %x: !v) {
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "both" {
      hk.local_store %x, %a : !v -> !a
      // expected-error-re @below {{this warp pipeline races: stage "both" reads `a_smem`, which other warps may access at the same time: the stage writes it too (line {{[0-9]+}})}}
      // expected-note @below {{distance: there is no barrier inside a stage, so the accesses must be 1 stage apart}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put the two accesses into different stages}}
      %l = hk.local_load %a : !a -> !h
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Within one stage; all warps read as well: both reads must move to the other stage.
func.func @both_within_stage(%n: i32, %m: i32, %x: !v) {
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "both" {
      hk.local_store %x, %a : !v -> !a
      // expected-error-re @below {{this warp pipeline races: stage "both" reads `a_smem`, which other warps may access at the same time: the stage writes it too (line {{[0-9]+}})}}
      // expected-note @below {{distance: there is no barrier inside a stage, so the accesses must be 1 stage apart}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put the two accesses into different stages, with one more between them}}
      %l = hk.local_load %a : !a -> !h
      %t = hk.local_load %a : !a -> !t
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// There is no wait.
func.func @no_wait(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !i -> !a
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: commit the copy to a group, and wait for the group before stage "load"}}
      %l = hk.local_load %a : !a -> !h
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The wait comes after the stage that reads.
func.func @wait_behind(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !i -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: wait before stage "load", with wait_group(0)}}
      %l = hk.local_load %a : !a -> !h
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// All warps read the copied tile, so a wait right before that stage is not enough.
func.func @wait_for_both(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk.stage "copy" {
    hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !i -> !a
    hk.async_commit_group
  }
  hk.stage "pause" {
  }
  hk.stage "load" {
    // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy of stage "copy" (line {{[0-9]+}})}}
    // expected-note @below {{hint: wait before stage "pause", with wait_group(0)}}
    %l = hk.local_load %a : !a -> !h
    %t = hk.local_load %a : !a -> !t
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "rest" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The copy is in flight at the start of the pipeline.
func.func @entry(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !i -> !a
  hk.async_commit_group
  hk.stage "load" {
    // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
    // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
    %l = hk.local_load %a : !a -> !h
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "rest" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#half = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!i = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!h = tensor<512xf32, #half>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Adjacent stages still cannot read the stores of warps of other groups.
func.func @between_groups(%n: i32, %m: i32, %x: !h) {
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "store" {
      hk.local_store %x, %a : !h -> !a
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` while the other group of warps may still be in stage "store" (line {{[0-9]+}}), which writes it}}
      // expected-note @below {{distance: 1 stage from "store" to "load"; the groups run 1 stage apart, so a barrier between the two needs 2}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put one more stage between the two}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
