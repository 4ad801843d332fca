// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers --hocket-insert-proxy-fences | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!tile = tensor<64x64xf16, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>
!acc = tensor<64x64xf32, #wgmma>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Each warp arrives for itself, after a fence, without a barrier of the partition.
// CHECK-LABEL: @before_the_arrival
// CHECK: hk_nv.named_barrier_wait 0
// CHECK-NEXT: hk_nv.warpgroup_mma
// CHECK: hk.worker
// CHECK: hk.local_store
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk_nv.named_barrier_arrive 0
// CHECK-NEXT: }
func.func @before_the_arrival(%zero: !acc) -> !acc {
  %a = hk.local_alloc : () -> !smem
  %r = hk.warp_specialize -> !acc {
    hk_nv.named_barrier_wait 0 num_warps = 8
    %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    hk.warp_yield %e : !acc
  } workers {
    hk.worker "fill"(%a : !smem) num_warps = 4 {
    ^bb0(%b: !smem):
      %x = arith.constant dense<1.0> : !tile
      hk.local_store %x, %b : !tile -> !smem
      hk_nv.named_barrier_arrive 0 num_warps = 8
      hk.worker_end
    }
  }
  return %r : !acc
}

// A wait at a named barrier is also an arrival.
// CHECK-LABEL: @before_both_meet
// CHECK: hk.worker
// CHECK: hk.local_store
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk_nv.named_barrier_wait 0
// CHECK-NEXT: }
func.func @before_both_meet(%zero: !acc) -> !acc {
  %a = hk.local_alloc : () -> !smem
  %r = hk.warp_specialize -> !acc {
    hk_nv.named_barrier_wait 0 num_warps = 8
    %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    hk.warp_yield %e : !acc
  } workers {
    hk.worker "fill"(%a : !smem) num_warps = 4 {
    ^bb0(%b: !smem):
      %x = arith.constant dense<1.0> : !tile
      hk.local_store %x, %b : !tile -> !smem
      hk_nv.named_barrier_wait 0 num_warps = 8
      hk.worker_end
    }
  }
  return %r : !acc
}
}
