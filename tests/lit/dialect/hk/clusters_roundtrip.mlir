// RUN: hocket-opt %s | FileCheck %s

// CHECK-DAG: #[[DEALT:.*]] = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = {{\[\[1, 0\], \[0, 0\]\]}}>
#dealt = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[1, 0], [0, 0]]>
// CHECK-DAG: #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 4, order = [1, 0], block = {{\[\[1, 0\], \[0, 1\]\]}}>
#shared = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 4, order = [1, 0], block = [[1, 0], [0, 1]]>
// CHECK-DAG: #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = {{\[\[0, 0\], \[1, 0\]\]}}>
#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = [[0, 0], [1, 0]]>
// CHECK-DAG: #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16], block = {{\[\[1, 0\], \[0, 0\]\]}}>
#acc = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16], block = [[1, 0], [0, 0]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// CHECK: module attributes {hk.num_ctas = 4 : i32
module attributes {hk.num_ctas = 4 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @sync
func.func @sync() -> i32 {
  // CHECK: hk.cluster_arrive
  hk.cluster_arrive
  // CHECK: hk.cluster_arrive relaxed
  hk.cluster_arrive relaxed
  // CHECK: hk.cluster_wait
  hk.cluster_wait
  // CHECK: hk.cluster_barrier
  hk.cluster_barrier
  // CHECK: hk.cluster_barrier relaxed
  hk.cluster_barrier relaxed
  // CHECK: hk.cta_rank
  %rank = hk.cta_rank
  return %rank : i32
}

// CHECK-LABEL: @tiles
func.func @tiles(%x: tensor<64x64xf32, #dealt>, %t: !hk.memdesc<64x64xf32, #shared>, %acc: tensor<128x64xf32, #acc>) {
  return
}

// CHECK-LABEL: @copies
func.func @copies(%desc: !hk_nv.tensor_desc<64x64xf16, #tile>, %t: !hk.memdesc<64x64xf16, #tile>, %b: !hk.memdesc<1xi64, #bar>, %i: i32, %p: i1) {
  // CHECK: hk_nv.tma_load {{.*}} multicast
  hk_nv.tma_load %desc[%i, %i], %t, %b, %p multicast : !hk_nv.tensor_desc<64x64xf16, #tile> -> !hk.memdesc<64x64xf16, #tile>, !hk.memdesc<1xi64, #bar>
  // CHECK: hk_nv.mbarrier_expect {{.*}}, 4096 from_cta = 0
  hk_nv.mbarrier_expect %b, 4096 from_cta = 0 : !hk.memdesc<1xi64, #bar>
  // CHECK: hk_nv.mbarrier_arrive {{.*}}, 1 pred %{{.*}} from_cta = 2
  hk_nv.mbarrier_arrive %b, 1 pred %p from_cta = 2 : !hk.memdesc<1xi64, #bar>
  // CHECK: hk_nv.mbarrier_arrive {{.*}}, 1 from_cta = 0 relaxed
  hk_nv.mbarrier_arrive %b, 1 from_cta = 0 relaxed : !hk.memdesc<1xi64, #bar>
  return
}
}
