// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-allocate-memory --hocket-warp-pipeline-lowering
//
// Copies that are in flight where a pipeline begins, and that no slot of it settles in time.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Right after the wait, the other group has not waited yet.
func.func @behind_the_wait(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
      // expected-error-re @below {{this warp pipeline races: stage "b" reads `a_smem`, and the other group of warps may not have waited (line {{[0-9]+}}) for its part of the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{distance: 0 stages from the wait to the access; the groups run 1 stage apart, so 1 or more are needed}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
    %l = hk.local_load %a : !a -> !t
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// A lag of two needs two stages in between.
func.func @lag_two(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" phase_gap = 2 {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
  }
  hk.stage "c" {
      // expected-error-re @below {{this warp pipeline races: stage "c" reads `a_smem`, and the other group of warps may not have waited (line {{[0-9]+}}) for its part of the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{distance: 1 stage from the wait to the access; the groups run 2 stages apart, so 2 or more are needed}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
    %l = hk.local_load %a : !a -> !t
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The wait in the loop is too late for the first iteration, though not for the next ones.
func.func @first_iteration(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  %s0 = hk.memdesc_index %a[%c0] : !ring3 -> !a
  %s1 = hk.memdesc_index %a[%c1] : !ring3 -> !a
  hk_amd.buffer_load_to_shared %p[%o], %s0 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk_amd.buffer_load_to_shared %p[%o], %s1 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(1)}}
      %l = hk.local_load %s : !a -> !t
      %n = arith.addi %k, %c2 : i32
      %j = arith.remsi %n, %c3 : i32
      %d = hk.memdesc_index %a[%j] : !ring3 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "compute" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// On one path there is no wait.
func.func @one_path(%p: !hk.ptr<f32>, %whether: i1) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.if %whether {
    hk.async_wait_group {outstanding = 0 : i32}
  }
  hk.stage "a" {
    // expected-error-re @below {{this warp pipeline races: stage "a" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
    // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
    %l = hk.local_load %a : !a -> !t
  }
  hk.stage "b" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The copy belongs to the pipeline itself, in an earlier iteration of an outer loop: its slot is no longer known.
func.func @last_time_round(%p: !hk.ptr<f32>, %m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %j = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      %s = hk.memdesc_index %a[%j] : !ring3 -> !a
      // expected-error-re @below {{this warp pipeline races: stage "store" writes `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
      hk.local_store %x, %s : !v -> !a
    }
    hk.stage "copy" {
      %n = arith.addi %j, %c1 : i32
      %s = hk.memdesc_index %a[%n] : !ring3 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %s : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// For comparison, in one iteration: the slots differ, so there is no hazard.
func.func @this_time_round(%p: !hk.ptr<f32>, %m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %j = %c0 to %m step %c1 : i32 {
    %n = arith.addi %j, %c1 : i32
    %d = hk.memdesc_index %a[%n] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
    hk.stage "store" {
      %s = hk.memdesc_index %a[%j] : !ring3 -> !a
      hk.local_store %x, %s : !v -> !a
    }
    hk.stage "pause" {
    }
    hk.async_wait_group {outstanding = 0 : i32}
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// A copy in flight at the start of the first pipeline is still in flight at the start of the second.
func.func @past_a_pipeline(%p: !hk.ptr<f32>, %n: i32, %m: i32, %s: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.stage "a" {
    hk.async_commit_group
  }
  hk.stage "b" {
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "d" {
      // expected-error-re @below {{this warp pipeline races: stage "d" reads `a_smem`, and the other group of warps may not have waited (line {{[0-9]+}}) for its part of the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{distance: 0 stages from the wait to the access; the groups run 1 stage apart, so 1 or more are needed}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
