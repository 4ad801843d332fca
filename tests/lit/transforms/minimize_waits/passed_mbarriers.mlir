// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// The mbarrier is an argument of the function, so its ring buffer and slot are unknown.

#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @passed
func.func @passed(%desc: !hk_nv.tensor_desc<64x64xf16, #tile>, %t: !hk.memdesc<64x64xf16, #tile>, %bar: !hk.memdesc<1xi64, #bar>, %i: i32, %p: i1) {
  // CHECK: hk_nv.tma_load
  hk_nv.tma_load %desc[%i, %i], %t, %bar, %p : !hk_nv.tensor_desc<64x64xf16, #tile> -> !hk.memdesc<64x64xf16, #tile>, !hk.memdesc<1xi64, #bar>
  // CHECK: hk_nv.mbarrier_arrive
  hk_nv.mbarrier_arrive %bar, 1 : !hk.memdesc<1xi64, #bar>
  return
}
}
