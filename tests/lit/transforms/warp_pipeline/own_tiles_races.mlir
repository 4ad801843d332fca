// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-allocate-memory --hocket-warp-pipeline-lowering
//
// Races of warps on their own tiles (WarpExchange.h).

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// A warp does not wait for its own copy.
func.func @own_copy_no_wait(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: commit the copy to a group, and wait for the group before stage "load"}}
      %l = hk.local_load %a : !a -> !v
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The wait after the load.
func.func @own_copy_wait_behind(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: wait before stage "load", with wait_group(0)}}
      %l = hk.local_load %a : !a -> !v
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
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// A copy of a warp's own tile that is in flight at the start of the pipeline.
func.func @own_copy_entry(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "load" {
    // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
    // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
    %l = hk.local_load %a : !a -> !v
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "rest" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Lanes copy over the elements they have just read, but a copy is not ordered after the loads of its warp.
func.func @copy_over_own_load(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "both" {
      %l = hk.local_load %a : !a -> !v
      // expected-error-re @below {{this warp pipeline races: stage "both" copies into `a_smem`, which other lanes of the warp may access at the same time: the stage reads it too (line {{[0-9]+}})}}
      // expected-note @below {{hint: put the two accesses into different stages}}
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [2, 32], warps_per_cta = [8, 1], order = [1, 0]>
#by_row = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
#by_column = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0, 1]>
!w = tensor<32x32xf32, #rows>
!b = !hk.memdesc<32x32xf32, #by_row>
!bt = !hk.memdesc<32x32xf32, #by_column>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Both accesses have one layout of registers, but rows of one view are columns of the other.
func.func @other_view(%n: i32, %m: i32, %x: !w) {
  %b = hk.local_alloc name = "a_smem" : () -> !b
  %turned = hk.memdesc_permute %b [1, 0] : !b -> !bt
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "store" {
      hk.local_store %x, %b : !w -> !b
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` while the other group of warps may still be in stage "store" (line {{[0-9]+}}), which writes it}}
      // expected-note @below {{distance: 1 stage from "store" to "load"; the groups run 1 stage apart, so a barrier between the two needs 2}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put one more stage between the two}}
      %l = hk.local_load %turned : !bt -> !w
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
#double = #hk.linear<reg = [], lane = [[1], [2], [4], [8], [16], [0]], warp = [[32], [64], [128]], block = [], shape = [256]>
!d = tensor<256xf32, #double>
!q = !hk.memdesc<256xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Two lanes of a warp hold the same element: one reads what the other stores.
func.func @two_lanes(%n: i32, %m: i32, %x: !d) {
  %a = hk.local_alloc name = "a_smem" : () -> !q
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "both" {
      hk.local_store %x, %a : !d -> !q
      // expected-error-re @below {{this warp pipeline races: stage "both" reads `a_smem`, which other lanes of the warp may access at the same time: the stage writes it too (line {{[0-9]+}})}}
      // expected-note @below {{hint: put the two accesses into different stages}}
      %l = hk.local_load %a : !q -> !d
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
