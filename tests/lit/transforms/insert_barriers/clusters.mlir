// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-insert-barriers --verify-diagnostics | FileCheck %s

// Barriers of the cluster, for accesses of CTAs to each other's shared memory.

#first = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[1, 0]]>
#second = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[0, 1]]>
#rows = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0], block = [[1, 0]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!x = tensor<32x32xf32, #first>
!y = tensor<32x32xf32, #second>
!smem = !hk.memdesc<32x32xf32, #rows>
!mbar = !hk.memdesc<1xi64, #bar>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: @own_memory
func.func @own_memory(%x: !x) -> !x {
  // CHECK-NOT: hk.cluster_barrier
  // CHECK: return
  %a = hk.local_alloc %x : (!x) -> !smem
  %y = hk.local_load %a : !smem -> !x
  return %y : !x
}

// At the end, the other CTA may still read.
// CHECK-LABEL: @remote_load
func.func @remote_load(%x: !x) -> !y {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!x) -> !smem
  %y = hk.local_load %a : !smem -> !y
  return %y : !y
}

// Before the first, the other CTA may not have started.
// CHECK-LABEL: @remote_store
func.func @remote_store(%x: !y) -> !x {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc : () -> !smem
  hk.local_store %x, %a : !y -> !smem
  %y = hk.local_load %a : !smem -> !x
  return %y : !x
}

// Stores to slices that do not overlap have no hazard, in whichever CTA they are.
// CHECK-LABEL: @other_slices
func.func @other_slices(%x: tensor<16x32xf32, #second>, %y: tensor<16x32xf32, #first>) {
  // CHECK: hk.cluster_barrier
  // CHECK-NEXT: hk.memdesc_slice
  // CHECK-NEXT: hk.memdesc_slice
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: return
  %a = hk.local_alloc : () -> !smem
  hk.cluster_barrier
  %b = hk.memdesc_slice %a [0, 0] : !smem -> !hk.memdesc<16x32xf32, #rows, 32x32>
  %c = hk.memdesc_slice %a [16, 0] : !smem -> !hk.memdesc<16x32xf32, #rows, 32x32>
  hk.local_store %x, %b : tensor<16x32xf32, #second> -> !hk.memdesc<16x32xf32, #rows, 32x32>
  hk.local_store %y, %c : tensor<16x32xf32, #first> -> !hk.memdesc<16x32xf32, #rows, 32x32>
  return
}

// The program's own barriers are enough; where it arrives and waits separately, it orders the accesses itself.
// CHECK-LABEL: @barriers_of_the_kernel
func.func @barriers_of_the_kernel(%x: !y) -> !x {
  // CHECK-COUNT-1: hk.cluster_barrier
  // CHECK: hk.local_store
  // CHECK-NEXT: hk.cluster_arrive
  // CHECK-NEXT: hk.cluster_wait
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc : () -> !smem
  hk.cluster_barrier
  hk.local_store %x, %a : !y -> !smem
  hk.cluster_arrive
  hk.cluster_wait
  %y = hk.local_load %a : !smem -> !x
  return %y : !x
}

// Another CTA may still read the buffer that had this memory before.
// CHECK-LABEL: @reused_memory
func.func @reused_memory(%x: !x) -> (!y, !x) {
  // CHECK: hk.local_alloc %arg0 offset = [[AT:.*]]
  // CHECK: hk.local_load
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: hk.local_alloc %arg0 offset = [[AT]]
  %a = hk.local_alloc %x : (!x) -> !smem
  %y = hk.local_load %a : !smem -> !y
  %b = hk.local_alloc %x : (!x) -> !smem
  %z = hk.local_load %b : !smem -> !x
  return %y, %z : !y, !x
}

// CHECK-LABEL: @loop
func.func @loop(%x: !y, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  // CHECK: scf.for
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: hk.local_load
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.local_store %x, %a : !y -> !smem
    %z = hk.local_load %a : !smem -> !x
  }
  return
}

// Mbarriers that other CTAs use are initialized in all of them.
// CHECK-LABEL: @mbarriers
func.func @mbarriers(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = hk.local_alloc : () -> !mbar
  // CHECK: hk_nv.mbarrier_init
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: scf.for
  hk_nv.mbarrier_init %b, 1 : !mbar
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK-NOT: hk.cluster_barrier
    // CHECK: hk_nv.mbarrier_arrive
    hk_nv.mbarrier_arrive %b, 1 from_cta = 0 reaches_other_ctas : !mbar
    // CHECK-NEXT: hk_nv.mbarrier_wait
    hk_nv.mbarrier_wait %b, %i : !mbar
  }
  return
}
}
