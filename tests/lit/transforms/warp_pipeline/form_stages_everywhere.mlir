// RUN: hocket-opt %s --hocket-form-stages --verify-diagnostics | FileCheck %s
//
// hk.auto_stages on the module: all loops without loops or stages in them.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
!row = tensor<512xf32, #row>

// CHECK: module attributes
// CHECK-NOT: hk.auto_stages
module attributes {hk.auto_stages, hk.target = "gfx950", hk.num_warps = 8 : i32} {

// CHECK-LABEL: @loops
func.func @loops(%n: i32, %x: !row) {
  // The outer loop has neither stages nor a remark.
  // CHECK: scf.for
  scf.for %i = %n to %n step %n : i32 {
    // expected-remark @below {{formed no stages: the loop contains a barrier}}
    // expected-note @below {{in line}}
    scf.for %j = %n to %n step %n : i32 {
      hk.barrier
    }
  }
  // A loop with stages keeps them.
  // CHECK: hk.stage_begin "mine"
  // CHECK: hk.stage_begin "other"
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "mine"
    hk.stage_end
    hk.stage_begin "other"
    hk.stage_end
  }
  return
}
}
