// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers --hocket-insert-proxy-fences | FileCheck %s

// Asynchronous stores of other blocks are complete after the wait, but visible only after a fence that follows it.

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[1, 0]]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16], block = [[1, 0]]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = [[1, 0]]>
#copies = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = [[0, 0]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<128x64xf16, #rows>
!smem = !hk.memdesc<128x64xf16, #shared>
!right = !hk.memdesc<64x64xf16, #copies>
!bar = !hk.memdesc<1xi64, #bar>
!acc = tensor<128x64xf32, #wgmma>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The block's barrier orders the initialization; stores by all lanes need no fence before.
// CHECK-LABEL: @without_a_fence
func.func @without_a_fence(%x: !tile, %c: !acc, %phase: i32) -> !acc {
  // CHECK: hk_nv.mbarrier_init
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.async_store
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk_nv.warpgroup_mma
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_init %bar, 1 : !bar
  hk_nv.async_store %x, %a, %bar : !tile -> !smem, !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  %d = hk_nv.warpgroup_mma %a, %b, %c : !smem, !right -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// CHECK-LABEL: @with_a_fence
func.func @with_a_fence(%x: !tile, %c: !acc, %phase: i32) -> !acc {
  // CHECK: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk_nv.warpgroup_mma
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_init %bar, 1 : !bar
  hk_nv.async_store %x, %a, %bar : !tile -> !smem, !bar
  hk_nv.mbarrier_wait %bar, %phase : !bar
  hk.proxy_fence
  %d = hk_nv.warpgroup_mma %a, %b, %c : !smem, !right -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// A fence before the wait is too early.
// CHECK-LABEL: @with_an_early_fence
func.func @with_an_early_fence(%x: !tile, %c: !acc, %phase: i32) -> !acc {
  // CHECK: hk.proxy_fence
  // CHECK-NEXT: hk_nv.mbarrier_wait
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk_nv.warpgroup_mma
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !right
  %bar = hk.local_alloc : () -> !bar
  hk_nv.mbarrier_init %bar, 1 : !bar
  hk_nv.async_store %x, %a, %bar : !tile -> !smem, !bar
  hk.proxy_fence
  hk_nv.mbarrier_wait %bar, %phase : !bar
  %d = hk_nv.warpgroup_mma %a, %b, %c : !smem, !right -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}
}
