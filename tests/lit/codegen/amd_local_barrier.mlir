// A local barrier waits for LDS accesses, but not for a global load in flight.
//
// RUN: sed s/TARGET/gfx942/ %s | hocket-emit - | FileCheck %s
// RUN: sed s/TARGET/gfx950/ %s | hocket-emit - | FileCheck %s

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "TARGET", hk.num_warps = 4 : i32} {
// CHECK: buffer_load_dword v
// CHECK: ds_write_b32
// CHECK-NOT: vmcnt
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK-NOT: vmcnt
// CHECK: ds_read_b32
// CHECK: vmcnt(0)
// CHECK: buffer_store_dword
func.func public @kernel(%x: !hk.ptr<f32>, %y: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %v = arith.sitofp %i : tensor<256xi32, #b> to tensor<256xf32, #b>
  %tile = hk.local_alloc %v : (tensor<256xf32, #b>) -> !hk.memdesc<256xf32, #shared>
  %g = hk_amd.buffer_load %x[%i] : !hk.ptr<f32>, tensor<256xi32, #b> -> tensor<256xf32, #b>
  hk.barrier local
  %s = hk.local_load %tile : !hk.memdesc<256xf32, #shared> -> tensor<256xf32, #b>
  %sum = arith.addf %s, %g : tensor<256xf32, #b>
  hk_amd.buffer_store %sum, %y[%i] : tensor<256xf32, #b>, !hk.ptr<f32>, tensor<256xi32, #b>
  return
}
}
