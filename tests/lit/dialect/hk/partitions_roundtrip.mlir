// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

#line4 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#line2 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [2], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: func.func public @partitions
func.func public @partitions(%x: !hk.ptr<f32>, %n: i32) attributes {hk.kernel} {
  %tile = hk.local_alloc : () -> !hk.memdesc<128xf32, #shared>
  // CHECK: %[[R:.+]]:2 = hk.warp_specialize offset = 512 -> i32, tensor<128xi32, #{{.+}}> {
  %r:2 = hk.warp_specialize offset = 512 -> i32, tensor<128xi32, #line4> {
    %i = hk.arange 0 to 128 : tensor<128xi32, #line4>
    // CHECK: hk.warp_yield %{{.+}}, %{{.+}} : i32, tensor<128xi32, #{{.+}}>
    hk.warp_yield %n, %i : i32, tensor<128xi32, #line4>
  // CHECK: } workers {
  } workers {
    // CHECK: hk.worker "store"(%{{.+}}, %{{.+}} : !hk.memdesc<128xf32, #{{.+}}>, i32) num_warps = 2 num_regs = 24 {
    hk.worker "store"(%tile, %n : !hk.memdesc<128xf32, #shared>, i32) num_warps = 2 num_regs = 24 {
    // CHECK-NEXT: ^bb0(%[[T:.+]]: !hk.memdesc<128xf32, #{{.+}}>, %[[N:.+]]: i32):
    ^bb0(%t: !hk.memdesc<128xf32, #shared>, %m: i32):
      // The warps of a worker are counted in its layouts.
      // CHECK: hk.arange 0 to 128 : tensor<128xi32, #{{.+}}>
      %i = hk.arange 0 to 128 : tensor<128xi32, #line2>
      %x0 = arith.sitofp %i : tensor<128xi32, #line2> to tensor<128xf32, #line2>
      hk.local_store %x0, %t : tensor<128xf32, #line2> -> !hk.memdesc<128xf32, #shared>
    }
    // CHECK: hk.worker "nothing" num_warps = 1 {
    hk.worker "nothing" num_warps = 1 {
      hk.barrier
    }
  }
  return
}

// CHECK-LABEL: func.func private @outlined() attributes {hk.partition = #hk.partition<first_warp = 4, num_warps = 2, barrier = 2>}
func.func private @outlined() attributes {hk.partition = #hk.partition<first_warp = 4, num_warps = 2, barrier = 2>} {
  return
}
}
