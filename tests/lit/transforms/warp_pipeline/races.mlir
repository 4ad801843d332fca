// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-allocate-memory --hocket-warp-pipeline-lowering
//
// Stages that no barrier can separate. Nothing is changed before the error.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Read after write in adjacent stages.
func.func @adjacent(%n: i32, %m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      hk.local_store %x, %a : !v -> !a
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` while the other group of warps may still be in stage "store" (line {{[0-9]+}}), which writes it}}
      // expected-note @below {{distance: 1 stage from "store" to "load"; the groups run 1 stage apart, so a barrier between the two needs 2}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put one more stage between the two}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "pause" {
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Write after read: three slots, filled two iterations ahead, are one too few.
func.func @ring_too_short(%n: i32, %m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      %o = arith.addi %k, %c2 : i32
      %i = arith.remsi %o, %c3 : i32
      %p = hk.memdesc_index %a[%i] : !ring3 -> !a
      // expected-error-re @below {{this warp pipeline races: stage "store" writes `a_smem` while the other group of warps may still be in stage "load" (line {{[0-9]+}}), which reads it}}
      // expected-note @below {{distance: 1 stage from "load" to "store" of a later iteration; the groups run 1 stage apart, so a barrier between the two needs 2}}
      // expected-note @below {{hint: make `a_smem` a ring of 4 buffers, read buffer k % 4 and write buffer (k + 2) % 4; or put one more stage between the two}}
      hk.local_store %x, %p : !v -> !a
    }
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %p = hk.memdesc_index %a[%i] : !ring3 -> !a
      %l = hk.local_load %p : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Within one stage.
func.func @within_stage(%n: i32, %m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "both" {
      hk.local_store %x, %a : !v -> !a
      // expected-error-re @below {{this warp pipeline races: stage "both" reads `a_smem`, which other warps may access at the same time: the stage writes it too (line {{[0-9]+}})}}
      // expected-note @below {{distance: there is no barrier inside a stage; the groups run 1 stage apart, so the accesses must be 2 stages apart}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put the two accesses into different stages, with one more between them}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "pause" {
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Two stages apart, which is enough for a lag of one but not of two.
func.func @lag_two(%n: i32, %m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      hk.local_store %x, %a : !v -> !a
    }
    hk.stage "pause" {
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` while the other group of warps may still be in stage "store" (line {{[0-9]+}}), which writes it}}
      // expected-note @below {{distance: 2 stages from "store" to "load"; the groups run 2 stages apart, so a barrier between the two needs 3}}
      // expected-note @below {{hint: make `a_smem` a ring of 2 buffers, read buffer k % 2 and write buffer (k + 1) % 2 with the data that iteration k + 1 reads; fill buffer 0 before the loop; or put one more stage between the two}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "rest" {
    }
    hk.stage "more" {
    }
  } {hk.pipelined = 2 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Copies that are waited for right before the stage that reads them: the other group has not waited yet.
func.func @wait_too_late(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : tensor<512xi32, #row>
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "copy" {
      %n = arith.addi %k, %c1 : i32
      %i = arith.remsi %n, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %s : !hk.ptr<f32>, tensor<512xi32, #row> -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, and the other group of warps may not have waited (line {{[0-9]+}}) for its part of the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{distance: 0 stages from the wait to the access; the groups run 1 stage apart, so 1 or more are needed}}
      // expected-note @below {{hint: wait before stage "copy", with wait_group(0)}}
      %l = hk.local_load %s : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Without a commit no wait covers the copy.
func.func @never_waited(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %o = hk.arange 0 to 512 : tensor<512xi32, #row>
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, tensor<512xi32, #row> -> !a
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "pause" {
    }
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: commit the copy to a group, and wait for the group 1 stage or more before stage "load"}}
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#swap = #hk.linear<reg = [], lane = [[2], [1], [4], [8], [16], [32]], warp = [[64], [128], [256]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!s = tensor<512xf32, #swap>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Each warp accesses only its own elements, but not each lane.
func.func @lanes_of_a_warp(%n: i32, %m: i32, %x: !v) {
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "both" {
      %l = hk.local_load %a : !a -> !s
      // expected-error-re @below {{this warp pipeline races: stage "both" writes `a_smem`, which other lanes of the warp may access at the same time: the stage reads it too (line {{[0-9]+}})}}
      // expected-note @below {{hint: put the two accesses into different stages}}
      hk.local_store %x, %a : !v -> !a
    }
    hk.stage "pause" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// A commit in a branch counts for copies in that branch. For others it may not be executed.
func.func @commit_in_a_branch(%p: !hk.ptr<f32>, %n: i32, %m: i32, %whether: i1) {
  %o = hk.arange 0 to 512 : tensor<512xi32, #row>
  %a = hk.local_alloc name = "a_smem" : () -> !a
  %b = hk.local_alloc name = "b_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, tensor<512xi32, #row> -> !a
      scf.if %whether {
        hk_amd.buffer_load_to_shared %p[%o], %b : !hk.ptr<f32>, tensor<512xi32, #row> -> !a
        hk.async_commit_group
      }
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "pause" {
    }
    hk.stage "load" {
      %x = hk.local_load %b : !a -> !t
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: commit outside of the `if`, so that each iteration has the same number of groups}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "rest" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Hardware cannot keep this number of groups in flight; the search for the covering iteration must end.
func.func @wait_that_leaves_everything(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : tensor<512xi32, #row>
  %a = hk.local_alloc name = "a_smem" : () -> !a
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "copy" {
      hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, tensor<512xi32, #row> -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 2147483647 : i32}
    hk.stage "load" {
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy of stage "copy" (line {{[0-9]+}})}}
      // expected-note @below {{hint: wait before stage "load", with wait_group(0)}}
      %l = hk.local_load %a : !a -> !v
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
