// The barrier at the top of the next iteration must wait for the LDS stores at the end of the previous one. LLVM
// deletes the wait of the fence there, because nothing is pending at the loop entry.
//
// RUN: sed s/TARGET/gfx942/ %s | hocket-emit - | FileCheck %s
// RUN: sed s/TARGET/gfx950/ %s | hocket-emit - | FileCheck %s

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "TARGET", hk.num_warps = 4 : i32} {
// CHECK: [[LOOP:.LBB[0-9_]+]]:
// CHECK-NOT: s_barrier
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK: ds_read_b32
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK: s_barrier
// CHECK: ds_write_b32
// CHECK-NOT: s_waitcnt
// CHECK: s_cbranch_scc{{[01]}} [[LOOP]]
func.func public @kernel(%y: !hk.ptr<f32>, %n: i32) attributes {hk.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %zero = arith.constant dense<0.0> : tensor<256xf32, #b>
  %tile = hk.local_alloc : () -> !hk.memdesc<256xf32, #shared>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<256xf32, #b> : i32 {
    hk.barrier local
    %s = hk.local_load %tile : !hk.memdesc<256xf32, #shared> -> tensor<256xf32, #b>
    %sum = arith.addf %s, %acc : tensor<256xf32, #b>
    hk.barrier local
    hk.local_store %sum, %tile : tensor<256xf32, #b> -> !hk.memdesc<256xf32, #shared>
    scf.yield %sum : tensor<256xf32, #b>
  }
  hk_amd.buffer_store %r, %y[%i] : tensor<256xf32, #b>, !hk.ptr<f32>, tensor<256xi32, #b>
  return
}
}
