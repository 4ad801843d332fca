// RUN: hocket-opt %s --hocket-record-stages | FileCheck %s

module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 0>} {

// Records are placed inside the operations they measure.
// CHECK-LABEL: @stages
func.func @stages(%p: !hk.ptr<f32>, %n: i32) {
  // CHECK-NEXT: prof.record begin "warp" as warp
  // CHECK-NEXT: scf.for
  scf.for %i = %n to %n step %n : i32 {
    // CHECK-NEXT: hk.stage_begin "load" {phase_gap = 1 : i32}
    // CHECK-NEXT: prof.record begin "load" as stage stage 0
    // CHECK-NEXT: hk.load
    // CHECK-NEXT: prof.record end "load" as stage stage 0
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin "load" {phase_gap = 1 : i32}
    %x = hk.load %p : !hk.ptr<f32> -> f32
    hk.stage_end
    // CHECK-NEXT: hk.stage_begin ""
    // CHECK-NEXT: prof.record begin "stage 1" as stage stage 1
    // CHECK-NEXT: prof.record end "stage 1" as stage stage 1
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin ""
    hk.stage_end
    // CHECK-NEXT: hk.stage_begin "alone" exclusive
    // CHECK-NEXT: prof.record begin "alone" as stage stage 2 exclusive
    // CHECK-NEXT: prof.record end "alone" as stage stage 2
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin "alone" exclusive
    hk.stage_end
  }
  // CHECK: prof.record end "warp" as warp
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: @partitions
func.func @partitions() {
  // CHECK: hk.warp_specialize
  // CHECK-NEXT: prof.record begin "default" as partition
  // CHECK-NEXT: hk.barrier
  // CHECK-NEXT: prof.record end "default" as partition
  // CHECK-NEXT: hk.warp_yield
  hk.warp_specialize {
    hk.barrier
    hk.warp_yield
  } workers {
    // CHECK: hk.worker "copy"
    // CHECK-NEXT: prof.record begin "copy" as partition
    // CHECK-NEXT: hk.barrier
    // CHECK-NEXT: prof.record end "copy" as partition
    hk.worker "copy" num_warps = 4 {
      hk.barrier
      hk.worker_end
    }
  }
  return
}
}
