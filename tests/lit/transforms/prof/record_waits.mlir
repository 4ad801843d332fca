// RUN: hocket-opt %s --hocket-record-stages | FileCheck %s

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false,
                               max_ctas = 0, waits = true>} {

// Waits inside partitions are recorded; arrivals and waits elsewhere are not.
// CHECK-LABEL: @waits
func.func @waits(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // CHECK-NEXT: hk_nv.mbarrier_wait
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
