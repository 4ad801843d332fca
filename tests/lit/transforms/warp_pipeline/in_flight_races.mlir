// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-allocate-memory --hocket-warp-pipeline-lowering
//
// Copies that are in flight at the start of a pipeline (CopiesInFlight.h). Each case differs slightly from one in which
// the slot is known or the copy is complete.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The wait leaves all groups in flight that were committed with the copy and after it.
func.func @wait_leaves_it(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" {
  }
  hk.async_wait_group {outstanding = 1 : i32}
  hk.stage "b" {
  }
  hk.stage "c" {
    // expected-error-re @below {{this warp pipeline races: stage "c" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
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
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The loop waits at its bottom, after its first iteration.
func.func @wait_at_bottom(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %n to %m step %n : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
      // expected-error-re @below {{this warp pipeline races: stage "b" reads `a_smem` before the wait (line {{[0-9]+}}) for the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "c" {
    }
    hk.async_wait_group {outstanding = 0 : i32}
  } {hk.pipelined = 1 : i32}
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The last iteration of a loop that does not end at its bound.
func.func @step_over_the_bound(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %i = %c0 to %c3 step %c2 : i32 {
    %d = hk.memdesc_index %a[%i] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
  }
  hk.stage "load" {
    %s = hk.memdesc_index %a[%c2] : !ring3 -> !a
    // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
    // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
    %l = hk.local_load %s : !a -> !t
  }
  hk.stage "rest" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// One more group was committed after the loop of the copies: the older copy is not the one of iteration 0.
func.func @commit_behind_the_loop(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %d = hk.memdesc_index %a[%i] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
  }
  hk.async_commit_group
  hk.async_wait_group {outstanding = 2 : i32}
  hk.stage "load" {
    %s = hk.memdesc_index %a[%c1] : !ring3 -> !a
    // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
    // expected-note @below {{hint: wait for it before the pipeline, with wait_group(1)}}
    %l = hk.local_load %s : !a -> !t
  }
  hk.stage "rest" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// Both branches commit one copy.
func.func @commit_in_branches(%p: !hk.ptr<f32>, %whether: i1) {
  %o = hk.arange 0 to 512 : !o
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %d = hk.memdesc_index %a[%i] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
  }
  scf.if %whether {
    hk.async_commit_group
  } else {
    hk.async_commit_group
  }
  hk.async_wait_group {outstanding = 2 : i32}
  hk.stage "load" {
    %s = hk.memdesc_index %a[%c1] : !ring3 -> !a
    // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
    // expected-note @below {{hint: wait for it before the pipeline, with wait_group(1)}}
    %l = hk.local_load %s : !a -> !t
  }
  hk.stage "rest" {
  }
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The copy is issued only in the first iteration of the loop around the pipeline.
func.func @first_time(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %j = %c0 to %c2 step %c1 : i32 {
    hk.stage "a" {
      // expected-error-re @below {{this warp pipeline races: stage "a" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "b" {
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
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The copy belongs to the previous iteration of the loop around the pipeline.
func.func @iteration_before(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = hk.local_alloc name = "a_smem" : () -> !ring3
  scf.for %j = %c0 to %c2 step %c1 : i32 {
    %u = arith.remsi %j, %c2 : i32
    %d = hk.memdesc_index %a[%u] : !ring3 -> !a
    hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
    %w = arith.addi %j, %c1 : i32
    %x = arith.remsi %w, %c2 : i32
    hk.stage "load" {
      %s = hk.memdesc_index %a[%x] : !ring3 -> !a
      // expected-error-re @below {{this warp pipeline races: stage "load" reads `a_smem`, but no wait between the stages covers the copy (line {{[0-9]+}}), which is in flight when the pipeline begins}}
      // expected-note @below {{hint: wait for it before the pipeline, with wait_group(0)}}
      %l = hk.local_load %s : !a -> !t
    }
    hk.stage "rest" {
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
!t = tensor<512xf32, #turn>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// The waiting loop may have zero iterations.
func.func @loop_that_waits(%p: !hk.ptr<f32>, %n: i32, %m: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc name = "a_smem" : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %n to %m step %n : i32 {
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
