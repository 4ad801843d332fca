// RUN: hocket-opt %s --split-input-file --hocket-record-stages | FileCheck %s

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false,
                               max_ctas = 0, waits = always>} {

// Waits are recorded, inside and outside of partitions; arrivals are not.
// CHECK-LABEL: @waits
func.func @waits(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // CHECK-NEXT: prof.record begin "wait"
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: prof.record end "wait"
  // CHECK-NEXT: hk.warp_specialize
  hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
  hk.warp_specialize {
    // CHECK-NEXT: prof.record begin "wait"
    // CHECK-NEXT: hk_nv.mbarrier_wait
    // CHECK-NEXT: prof.record end "wait"
    // CHECK-NEXT: hk_nv.mbarrier_arrive
    // CHECK-NEXT: hk.warp_yield
    hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
    hk_nv.mbarrier_arrive %bar, 1 : !hk.memdesc<1xi64, #flat>
    hk.warp_yield
  } workers {
    // CHECK: hk.worker "copy"
    hk.worker "copy"(%bar, %phase : !hk.memdesc<1xi64, #flat>, i32) num_warps = 4 {
    ^bb0(%ready: !hk.memdesc<1xi64, #flat>, %parity: i32):
      // CHECK: hk_nv.named_barrier_arrive
      // CHECK-NEXT: prof.record begin "wait"
      // CHECK-NEXT: hk_nv.named_barrier_wait
      // CHECK-NEXT: prof.record end "wait"
      hk_nv.named_barrier_arrive 0 num_warps = 8
      hk_nv.named_barrier_wait 0 num_warps = 8
      // A user's scope around the wait is enough; a scope that has already ended is not.
      // CHECK-NEXT: prof.record begin "Wait for data"
      // CHECK-NEXT: hk_nv.mbarrier_wait
      // CHECK-NEXT: prof.record end "Wait for data"
      // CHECK-NEXT: prof.record begin "wait"
      // CHECK-NEXT: hk_nv.mbarrier_wait
      // CHECK-NEXT: prof.record end "wait"
      prof.record begin "Wait for data"
      hk_nv.mbarrier_wait %ready, %parity : !hk.memdesc<1xi64, #flat>
      prof.record end "Wait for data"
      hk_nv.mbarrier_wait %ready, %parity : !hk.memdesc<1xi64, #flat>
      hk.worker_end
    }
  }
  return
}
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false,
                               max_ctas = 0, waits = auto>} {

// A kernel with marks alone has no intervals, so its waits are recorded.
// CHECK-LABEL: @auto_with_marks
func.func @auto_with_marks(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // CHECK-NEXT: prof.record mark "k"
  // CHECK-NEXT: prof.record begin "wait"
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: prof.record end "wait"
  prof.record mark "k" as mark
  hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
  return
}
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false,
                               max_ctas = 0, waits = auto>} {

// A kernel with scopes of its own has no further ones.
// CHECK-LABEL: @auto_with_scopes
func.func @auto_with_scopes(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // CHECK-NEXT: prof.record begin "load"
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: prof.record end "load"
  prof.record begin "load"
  hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
  prof.record end "load"
  return
}
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = true,
                               max_ctas = 0, waits = always>} {

// A wait in a stage of a warp pipeline is a part of the stage.
// CHECK-LABEL: @wait_in_a_stage
func.func @wait_in_a_stage(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32, %n: index) {
  // CHECK: hk.stage_begin "load"
  // CHECK-NEXT: prof.record begin "load" as stage
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: prof.record end "load" as stage
  // CHECK-NEXT: hk.stage_end
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    hk.stage_begin "load"
    hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
    hk.stage_end
  }
  return
}
}
