// The machine code of a four-stage warp pipeline: one barrier per stage and iteration. A fence waits for LDS only, a
// bare barrier waits for nothing. A reading stage ends with one wait for all its reads. Before and after the loop, one
// branch jumps around a barrier.
//
// RUN: sed s/TARGET/gfx942/ %s | hocket-emit - | FileCheck %s
// RUN: sed s/TARGET/gfx950/ %s | hocket-emit - | FileCheck %s

#row = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [[512], [1024]], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [2048]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!in = tensor<2048xf32, #row>
!out = tensor<2048xf32, #turn>
!ring = !hk.memdesc<2x2048xf32, #shared>
!slot = !hk.memdesc<2048xf32, #shared>

module attributes {hk.target = "TARGET", hk.num_warps = 8 : i32} {
// CHECK-LABEL: kernel:
// CHECK: s_barrier
// Warps 4 to 7 wait at an extra barrier.
// CHECK: s_cbranch
// CHECK-NOT: {{ds_|buffer_|s_waitcnt}}
// CHECK: s_barrier
// CHECK: s_setprio 1
// CHECK: [[LOOP:.LBB[0-9_]+]]:
// CHECK-NOT: s_barrier
// CHECK-DAG: ds_read
// CHECK-DAG: buffer_load_dwordx4
// CHECK-NOT: s_waitcnt
// CHECK: s_setprio 0
// CHECK-NOT: s_waitcnt
// CHECK: s_barrier
// CHECK-NOT: {{v_|vmcnt|ds_|buffer_}}
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK-NOT: {{s_waitcnt|ds_|buffer_}}
// CHECK: v_{{(pk_)?}}add_f32
// CHECK-NOT: {{s_waitcnt|ds_|buffer_}}
// CHECK: s_setprio 0
// CHECK-NOT: s_waitcnt
// CHECK: s_barrier
// CHECK: s_waitcnt vmcnt(0)
// CHECK-NOT: s_barrier
// CHECK: ds_write_b128
// CHECK: s_setprio 0
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK: s_setprio 1
// CHECK-NOT: s_waitcnt
// CHECK: s_barrier
// CHECK-NOT: s_barrier
// CHECK: s_cbranch_scc{{[01]}} [[LOOP]]
// CHECK: s_setprio 0
// CHECK: s_cbranch_vcc
// CHECK: s_barrier
// CHECK-NOT: s_barrier
// CHECK: s_endpgm
func.func public @kernel(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %y: !hk.ptr<f32>, %n: i32) attributes {hk.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c2048 = arith.constant 2048 : i32
  %zero = arith.constant dense<0.0> : !out
  %o = hk.arange 0 to 2048 : tensor<2048xi32, #row>
  %p = hk.arange 0 to 2048 : tensor<2048xi32, #turn>
  %ring = hk.local_alloc : () -> !ring
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !out : i32 {
    %v:2 = hk.stage "load" priority = 1 -> !out, !in {
      %i = arith.remsi %k, %c2 : i32
      %slot = hk.memdesc_index %ring[%i] : !ring -> !slot
      %read = hk.local_load %slot : !slot -> !out
      %first = arith.muli %k, %c2048 : i32
      %at = hk.addptr %x, %first : !hk.ptr<f32>, i32
      %next = hk_amd.buffer_load %at[%o] : !hk.ptr<f32>, tensor<2048xi32, #row> -> !in
      hk.stage_yield %read, %next : !out, !in
    }
    %sum = hk.stage "compute" -> !out {
      %s = arith.addf %acc, %v#0 : !out
      hk.stage_yield %s : !out
    }
    hk.stage "store" {
      %next = arith.addi %k, %c1 : i32
      %i = arith.remsi %next, %c2 : i32
      %slot = hk.memdesc_index %ring[%i] : !ring -> !slot
      hk.local_store %v#1, %slot : !in -> !slot
    }
    hk.stage "pause" {
    }
    scf.yield %sum : !out
  } {hk.pipelined = 1 : i32}
  hk_amd.buffer_store %r, %y[%p] : !out, !hk.ptr<f32>, tensor<2048xi32, #turn>
  return
}
}
