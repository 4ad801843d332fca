// RUN: hocket-opt %s --split-input-file --hocket-form-stages --verify-diagnostics | FileCheck %s --implicit-check-not="hk.stage_begin"
//
// Loops of which no stages are formed, one for each reason, and the error for loops with stages.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!row = tensor<512xf32, #row>
!turn = tensor<512xf32, #turn>
!smem = !hk.memdesc<512xf32, #shared>

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {

// Overlapping a read with a few instructions gains less than the model's error.
// CHECK-LABEL: @too_small
func.func @too_small(%n: i32, %x: !turn) -> !turn {
  %tile = hk.local_alloc : () -> !smem
  // expected-remark @below {{formed no stages: the expected gain is below the model's error}}
  // expected-note @below {{with stages, an iteration would take about}}
  %d = scf.for %i = %n to %n step %n iter_args(%acc = %x) -> (!turn) : i32 {
    %v = hk.local_load %tile : !smem -> !turn
    %s = arith.addf %acc, %v : !turn
    scf.yield %s : !turn
  } {hk.auto_stages}
  return %d : !turn
}

// CHECK-LABEL: @loop_inside
func.func @loop_inside(%n: i32) {
  // expected-remark @below {{formed no stages: the loop contains another loop}}
  // expected-note @below {{in line}}
  scf.for %i = %n to %n step %n : i32 {
    scf.for %j = %n to %n step %n : i32 {
    }
  } {hk.auto_stages}
  return
}

// CHECK-LABEL: @barrier
func.func @barrier(%n: i32) {
  // expected-remark @below {{formed no stages: the loop contains a barrier}}
  // expected-note @below {{in line}}
  scf.for %i = %n to %n step %n : i32 {
    hk.barrier
  } {hk.auto_stages}
  return
}

// CHECK-LABEL: @between_warps
func.func @between_warps(%n: i32, %x: !row) -> !row {
  // expected-remark @below {{formed no stages: an operation passes values between warps, which waits for all of them}}
  // expected-note @below {{in line}}
  %d = scf.for %i = %n to %n step %n iter_args(%acc = %x) -> (!row) : i32 {
    %t = hk.convert_layout %acc : !row -> !turn
    %s = arith.addf %t, %t : !turn
    %r = hk.convert_layout %s : !turn -> !row
    scf.yield %r : !row
  } {hk.auto_stages}
  return %d : !row
}

// CHECK-LABEL: @copies_in_a_branch
func.func @copies_in_a_branch(%n: i32, %if: i1) {
  // expected-remark @below {{formed no stages: the loop copies or waits in a branch}}
  // expected-note @below {{in line}}
  scf.for %i = %n to %n step %n : i32 {
    scf.if %if {
      hk.async_commit_group
    }
  } {hk.auto_stages}
  return
}

// Loops with num_stages are software-pipelined first.
// CHECK-LABEL: @software_pipeline
func.func @software_pipeline(%n: i32) {
  // expected-warning @below {{this loop is not prefetched: it copies nothing from global to shared memory}}
  // expected-remark @below {{formed no stages: the loop has fewer than two operations on tiles}}
  scf.for %i = %n to %n step %n : i32 {
  } {hk.auto_stages, hk.num_stages = 2 : i32}
  return
}

// CHECK-LABEL: @other_effects
func.func @other_effects(%n: i32, %ok: i1) {
  // expected-remark @below {{formed no stages: an operation has effects that stages do not order}}
  // expected-note @below {{in line}}
  scf.for %i = %n to %n step %n : i32 {
    hk.assert %ok, "in range" late : i1
  } {hk.auto_stages}
  return
}

// CHECK-LABEL: @waits_for_others
func.func @waits_for_others(%n: i32, %x: !turn) -> !turn {
  %tile = hk.local_alloc : () -> !smem
  // expected-remark @below {{formed no stages: the loop waits for copies that it does not start}}
  // expected-note @below {{in line}}
  %d = scf.for %i = %n to %n step %n iter_args(%acc = %x) -> (!turn) : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    %v = hk.local_load %tile : !smem -> !turn
    %s = arith.addf %acc, %v : !turn
    scf.yield %s : !turn
  } {hk.auto_stages}
  return %d : !turn
}

// CHECK-LABEL: @nothing_to_divide
func.func @nothing_to_divide(%n: i32) {
  // expected-remark @below {{formed no stages: the loop has fewer than two operations on tiles}}
  scf.for %i = %n to %n step %n : i32 {
  } {hk.auto_stages}
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// CHECK-LABEL: @four_warps
func.func @four_warps(%n: i32) {
  // expected-remark @below {{formed no stages: a warp pipeline needs 8 warps, but the loop is executed by 4}}
  scf.for %i = %n to %n step %n : i32 {
  } {hk.auto_stages}
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @stages_already(%n: i32) {
  // expected-error @below {{warp_pipeline="auto" forms stages, but this loop has stages already}}
  // expected-note @below {{hint: leave warp_pipeline out, or remove the stages}}
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    hk.stage_end
  } {hk.auto_stages}
  return
}
}

// -----

#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0], block = [[0]]>
module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32, hk.num_ctas = 2 : i32} {
// CHECK-LABEL: @mbarrier_in_a_cluster
func.func @mbarrier_in_a_cluster(%n: i32, %bar: !hk.memdesc<1xi64, #bar>) {
  // expected-remark @below {{formed no stages: the loop uses mbarriers in a cluster, where arrivals may signal other blocks}}
  // expected-note @below {{in line}}
  scf.for %i = %n to %n step %n : i32 {
    hk_nv.mbarrier_wait %bar, %i : !hk.memdesc<1xi64, #bar>
  } {hk.auto_stages}
  return
}
}

// -----

#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
// CHECK-LABEL: @copies_of_threads_arrive
func.func @copies_of_threads_arrive(%n: i32, %bar: !hk.memdesc<1xi64, #bar>) {
  // expected-remark @below {{formed no stages: the copies of single threads arrive at an mbarrier}}
  // expected-note @below {{in line}}
  scf.for %i = %n to %n step %n : i32 {
    hk_nv.mbarrier_arrive_copies %bar : !hk.memdesc<1xi64, #bar>
  } {hk.auto_stages}
  return
}
}
