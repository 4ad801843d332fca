// A pipelined loop over tiles with three slots, copied directly into LDS. The loop waits for the oldest group only. No
// other wait covers the copies. Scalar instructions compute the LDS address (m0). CDNA3 copies 4 bytes per lane, CDNA4
// 16.
//
// RUN: sed s/TARGET/gfx942/g %s | hocket-emit - | FileCheck %s --check-prefixes=CHECK,CDNA3
// RUN: sed s/TARGET/gfx950/g %s | hocket-emit - | FileCheck %s --check-prefixes=CHECK,CDNA4

// CHECK-LABEL: kernel:
// CDNA3: s_mov_b32 m0, s
// CDNA3-NOT: readfirstlane
// CDNA3: buffer_load_dword v{{[0-9]+}}, s[{{[0-9:]+}}], 0 offen lds
// CDNA4: s_mov_b32 m0, s
// CDNA4-NOT: readfirstlane
// CDNA4: buffer_load_dwordx4 v{{[0-9]+}}, s[{{[0-9:]+}}], 0 offen lds
// The loop.
// CHECK: ; =>This Inner Loop Header
// CHECK-NOT: vmcnt
// CDNA3: s_waitcnt vmcnt(8)
// CDNA4: s_waitcnt vmcnt(2)
// CHECK-NEXT: s_barrier
// CHECK-NOT: vmcnt
// CHECK-NOT: ds_write
// One barrier is enough: the last copies are not overwritten, because the slot counters restart after the last one.
// CHECK-NOT: s_barrier
// CDNA3-COUNT-8: buffer_load_dword v{{.*}} lds
// CDNA4-COUNT-2: buffer_load_dwordx4 v{{.*}} lds
// CHECK-NOT: vmcnt
// CHECK-NOT: s_barrier
// CHECK: ds_read_b128
// CHECK-NOT: vmcnt
// CHECK: s_cbranch_scc
// After it.
// CHECK: s_waitcnt vmcnt(0)

#gfx942 = #hk.linear<reg = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = [], shape = [64, 64]>
#gfx950 = #hk.linear<reg = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [], shape = [64, 64]>
#rows = #hk.slice<dim = 1, parent = #TARGET>
#cols = #hk.slice<dim = 0, parent = #TARGET>
#blocked = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 8], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk.padded_shared<intervals = [512], paddings = [16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], block = [], shape = [64, 64]>
!ring = !hk.memdesc<3x64x64xf16, #shared>
!slot = !hk.memdesc<64x64xf16, #shared>
module attributes {hk.target = "TARGET", hk.num_warps = 4 : i32} {
func.func public @kernel(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %y: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %n: i32, %stride: i32 {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %r = hk.arange 0 to 64 : tensor<64xi32, #rows>
  %c = hk.arange 0 to 64 : tensor<64xi32, #cols>
  %r2 = hk.expand_dims %r axis = 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #TARGET>
  %c2d = hk.expand_dims %c axis = 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #TARGET>
  %s = hk.splat %stride : i32 -> tensor<64x1xi32, #TARGET>
  %rs = arith.muli %r2, %s : tensor<64x1xi32, #TARGET>
  %rb = hk.broadcast %rs : tensor<64x1xi32, #TARGET> -> tensor<64x64xi32, #TARGET>
  %cb = hk.broadcast %c2d : tensor<1x64xi32, #TARGET> -> tensor<64x64xi32, #TARGET>
  %o0 = arith.addi %rb, %cb : tensor<64x64xi32, #TARGET>
  %step = hk.splat %c64 : i32 -> tensor<64x64xi32, #TARGET>
  %ring = hk.local_alloc : () -> !ring
  %s0 = hk.memdesc_index %ring[%c0] : !ring -> !slot
  hk_amd.buffer_load_to_shared %x[%o0], %s0 : !hk.ptr<f16>, tensor<64x64xi32, #TARGET> -> !slot
  hk.async_commit_group
  %o1 = arith.addi %o0, %step : tensor<64x64xi32, #TARGET>
  %s1 = hk.memdesc_index %ring[%c1] : !ring -> !slot
  hk_amd.buffer_load_to_shared %x[%o1], %s1 : !hk.ptr<f16>, tensor<64x64xi32, #TARGET> -> !slot
  hk.async_commit_group
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #blocked>
  %o, %acc, %read, %write = scf.for %i = %c0 to %n step %c1 iter_args(%oi = %o1, %a = %zero, %rd = %c0, %wr = %c2) -> (tensor<64x64xi32, #TARGET>, tensor<64x64xf16, #blocked>, i32, i32) : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    %slot = hk.memdesc_index %ring[%rd] : !ring -> !slot
    %v = hk.local_load %slot : !slot -> tensor<64x64xf16, #blocked>
    %on = arith.addi %oi, %step : tensor<64x64xi32, #TARGET>
    %next = hk.memdesc_index %ring[%wr] : !ring -> !slot
    hk_amd.buffer_load_to_shared %x[%on], %next : !hk.ptr<f16>, tensor<64x64xi32, #TARGET> -> !slot
    hk.async_commit_group
    %an = arith.addf %a, %v : tensor<64x64xf16, #blocked>
    %rd1 = arith.addi %rd, %c1 : i32
    %rwrap = arith.cmpi sgt, %rd1, %c2 : i32
    %rd2 = arith.select %rwrap, %c0, %rd1 : i32
    %wr1 = arith.addi %wr, %c1 : i32
    %wwrap = arith.cmpi sgt, %wr1, %c2 : i32
    %wr2 = arith.select %wwrap, %c0, %wr1 : i32
    scf.yield %on, %an, %rd2, %wr2 : tensor<64x64xi32, #TARGET>, tensor<64x64xf16, #blocked>, i32, i32
  }
  hk.async_wait_group {outstanding = 0 : i32}
  %ob = hk.convert_layout %o0 : tensor<64x64xi32, #TARGET> -> tensor<64x64xi32, #blocked>
  hk_amd.buffer_store %acc, %y[%ob] : tensor<64x64xf16, #blocked>, !hk.ptr<f16>, tensor<64x64xi32, #blocked>
  return
}
}
