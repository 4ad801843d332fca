// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// In a cluster, other CTAs run the same code. After an arrival at the cluster's barrier, or at mbarriers of theirs, they
// may overwrite what this CTA's wgmma still reads: it is waited for before the arrival, not before the load after it.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16], block = [[1, 0]]>
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = [[1, 0]]>
#copies = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = [[0, 0]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
#held = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[0, 0]]>
#split = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[1, 0]]>
#other = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[0, 1]]>
!acc = tensor<128x64xf32, #wgmma>
!left = !hk.memdesc<128x64xf16, #rows>
!right = !hk.memdesc<64x64xf16, #copies>
!ring = !hk.memdesc<2x64x64xf16, #copies>
!bars = !hk.memdesc<2x1xi64, #bar>
!bar = !hk.memdesc<1xi64, #bar>
!desc = !hk_nv.tensor_desc<64x64xf16, #copies>
!tile = tensor<64x64xf16, #held>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: @at_a_barrier(
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
// CHECK-NEXT: hk.cluster_barrier
// CHECK-NOT: warpgroup_mma_wait {
// CHECK: return
func.func @at_a_barrier(%desc: !desc, %a: !left, %n: i32, %p: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    hk_nv.tma_load %desc[%k, %k], %b, %bar, %p multicast reaches_other_ctas : !desc -> !right, !bar
    hk_nv.mbarrier_wait %bar, %k : !bar
    %d = hk_nv.warpgroup_mma %a, %b, %acc : !left, !right -> !acc
    %w = hk_nv.warpgroup_mma_wait %d implied {outstanding = 0 : i32} : !acc
    hk.cluster_barrier
    scf.yield %w : !acc
  }
  return %r : !acc
}

// Each CTA loads only into its own memory: the wgmma stays in flight across the barrier.
// CHECK-LABEL: @of_own_memory(
// CHECK: hk.cluster_barrier
// CHECK-NEXT: scf.yield
func.func @of_own_memory(%desc: !desc, %a: !left, %n: i32, %p: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    hk_nv.tma_load %desc[%k, %k], %b, %bar, %p : !desc -> !right, !bar
    hk_nv.mbarrier_wait %bar, %k : !bar
    %d = hk_nv.warpgroup_mma %a, %b, %acc : !left, !right -> !acc
    hk.cluster_barrier
    scf.yield %d : !acc
  }
  return %r : !acc
}

// The arrival lets others write, however late this CTA waits, and though it is relaxed.
// CHECK-LABEL: @at_an_arrival(
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
// CHECK-NEXT: hk.cluster_arrive relaxed
// CHECK-NEXT: arith.addi
// CHECK-NEXT: hk.cluster_wait
func.func @at_an_arrival(%desc: !desc, %a: !left, %n: i32, %p: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %d = hk_nv.warpgroup_mma %a, %b, %acc : !left, !right -> !acc
    hk.cluster_arrive relaxed
    %next = arith.addi %k, %c1 : i32
    hk.cluster_wait
    hk_nv.tma_load %desc[%next, %k], %b, %bar, %p multicast reaches_other_ctas : !desc -> !right, !bar
    hk_nv.mbarrier_wait %bar, %k : !bar
    scf.yield %d : !acc
  }
  return %r : !acc
}

// A CTA that loads into a buffer has waited for its mbarrier: the wgmma that reads the other buffer stays in flight.
// CHECK-LABEL: @at_mbarriers_of_slots(
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
// CHECK-NEXT: hk_nv.mbarrier_arrive
func.func @at_mbarriers_of_slots(%desc: !desc, %a: !left, %n: i32, %p: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ring = hk.local_alloc : () -> !ring
  %ready = hk.local_alloc : () -> !bars
  %empty = hk.local_alloc : () -> !bars
  %r = scf.for %k = %c1 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %slot = arith.remui %k, %c2 : i32
    %b = hk.memdesc_index %ring[%slot] : !ring -> !right
    %full = hk.memdesc_index %ready[%slot] : !bars -> !bar
    hk_nv.mbarrier_wait %full, %k : !bar
    %d = hk_nv.warpgroup_mma %a, %b, %acc : !left, !right -> !acc
    %next = arith.addi %k, %c1 : i32
    %other = arith.remui %next, %c2 : i32
    %done = hk.memdesc_index %empty[%other] : !bars -> !bar
    hk_nv.mbarrier_arrive %done, 1 from_cta = 0 reaches_other_ctas : !bar
    hk_nv.mbarrier_wait %done, %k : !bar
    %t = hk.memdesc_index %ring[%other] : !ring -> !right
    %told = hk.memdesc_index %ready[%other] : !bars -> !bar
    hk_nv.tma_load %desc[%k, %k], %t, %told, %p multicast reaches_other_ctas : !desc -> !right, !bar
    scf.yield %d : !acc
  }
  return %r : !acc
}

// The wait before the barrier stays, though another comes before this CTA's own load.
// CHECK-LABEL: @a_wait_that_is_written(
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.warpgroup_mma_wait {{.*}}{outstanding = 0 : i32}
// CHECK-NEXT: hk.cluster_barrier
// CHECK-NEXT: hk_nv.tma_load
func.func @a_wait_that_is_written(%desc: !desc, %a: !left, %i: i32, %p: i1) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  %d = hk_nv.warpgroup_mma %a, %b, %zero : !left, !right -> !acc
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  hk.cluster_barrier
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  hk_nv.tma_load %desc[%i, %i], %b, %bar, %p multicast reaches_other_ctas : !desc -> !right, !bar
  hk_nv.mbarrier_wait %bar, %i : !bar
  return %d : !acc
}

// Another CTA reads the part that cp.async brings to this one.
// CHECK-LABEL: @copies(
// CHECK: hk.async_copy_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.cluster_barrier
// CHECK-NEXT: hk.local_load
func.func @copies(%p: tensor<128x64x!hk.ptr<f16>, #split>) -> tensor<128x64xf16, #other> {
  %t = hk.local_alloc : () -> !left
  hk.async_copy_to_shared %p, %t : tensor<128x64x!hk.ptr<f16>, #split> -> !left
  hk.cluster_barrier
  %x = hk.local_load %t : !left -> tensor<128x64xf16, #other>
  return %x : tensor<128x64xf16, #other>
}

// A bulk store must have read its tile before another CTA may overwrite the tile.
// CHECK-LABEL: @bulk_stores(
// CHECK: hk_nv.tma_store
// CHECK-NEXT: hk_nv.tma_store_wait
// CHECK-NEXT: hk.cluster_barrier
func.func @bulk_stores(%desc: !desc, %i: i32, %p: i1) {
  %t = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  hk_nv.tma_store %t, %desc[%i, %i] : !right -> !desc
  hk_nv.tma_store_wait {outstanding = 0 : i32, read_only}
  hk.cluster_barrier
  hk_nv.tma_store_wait {outstanding = 0 : i32, read_only}
  hk_nv.tma_load %desc[%i, %i], %t, %bar, %p multicast reaches_other_ctas : !desc -> !right, !bar
  hk_nv.mbarrier_wait %bar, %i : !bar
  return
}
}
