// RUN: hocket-opt %s | hocket-opt | FileCheck %s

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1]]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0], block = [[0]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: func.func @async_store
func.func @async_store(%x: tensor<256xf32, #blocked>, %tile: !hk.memdesc<256xf32, #shared>,
                       %bar: !hk.memdesc<1xi64, #bar>) {
  // CHECK: hk_nv.async_store %arg0, %arg1, %arg2 : tensor<256xf32, #{{.+}}> -> !hk.memdesc<256xf32, #{{.+}}>, !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.async_store %x, %tile, %bar : tensor<256xf32, #blocked> -> !hk.memdesc<256xf32, #shared>, !hk.memdesc<1xi64, #bar>
  return
}
}
