// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers --hocket-insert-proxy-fences | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<64x64xf16, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!acc = tensor<64x64xf32, #wgmma>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The worker's fence and barrier publish its own stores, not those of the launching warps.
// CHECK-LABEL: @each_for_itself
// CHECK: hk.local_store
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK: hk.worker
// CHECK: scf.for
// CHECK: hk.proxy_fence
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk_nv.warpgroup_mma
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @each_for_itself(%x: !tile, %phase: i32) {
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    hk.local_store %x, %a : !tile -> !smem
    hk_nv.mbarrier_arrive %bar, 1 : !bar
    hk.warp_yield
  } workers {
    hk.worker "multiply"(%a, %bar, %phase : !smem, !bar, i32) num_warps = 4 {
    ^bb0(%t: !smem, %b: !bar, %p: i32):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %zero = arith.constant dense<0.0> : !acc
      %one = arith.constant dense<1.0> : !tile
      hk_nv.mbarrier_wait %b, %p : !bar
      %sum = scf.for %i = %c0 to %p step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
        %d = hk_nv.warpgroup_mma %t, %t, %acc : !smem, !smem -> !acc
        %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
        hk.local_store %one, %t : !tile -> !smem
        scf.yield %e : !acc
      }
      hk.worker_end
    }
  }
  return
}

// The arrival publishes the stores without the later fence.
// CHECK-LABEL: @passed_on_before_the_fence
// CHECK: hk.local_store
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk_nv.mbarrier_arrive
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @passed_on_before_the_fence(%x: !tile, %zero: !acc, %phase: i32) -> !acc {
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    hk.local_store %x, %a : !tile -> !smem
    hk_nv.mbarrier_arrive %bar, 1 : !bar
    hk.barrier
    %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    hk.warp_yield
  } workers {
    hk.worker "multiply"(%a, %bar, %phase : !smem, !bar, i32) num_warps = 4 {
    ^bb0(%t: !smem, %b: !bar, %p: i32):
      %none = arith.constant dense<0.0> : !acc
      hk_nv.mbarrier_wait %b, %p : !bar
      %d = hk_nv.warpgroup_mma %t, %t, %none : !smem, !smem -> !acc
      %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
      hk.worker_end
    }
  }
  return %zero : !acc
}

// No partition that waits at this mbarrier reads the tile through the async proxy.
// CHECK-LABEL: @passed_on_to_lanes
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @passed_on_to_lanes(%x: !tile, %phase: i32) {
  %a = hk.local_alloc : () -> !smem
  %c = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    hk.local_store %x, %a : !tile -> !smem
    hk_nv.mbarrier_arrive %bar, 1 : !bar
    hk.warp_yield
  } workers {
    hk.worker "load"(%a, %bar, %phase : !smem, !bar, i32) num_warps = 4 {
    ^bb0(%t: !smem, %b: !bar, %p: i32):
      hk_nv.mbarrier_wait %b, %p : !bar
      %y = hk.local_load %t : !smem -> !tile
      hk.worker_end
    }
    hk.worker "multiply"(%c : !smem) num_warps = 4 {
    ^bb0(%t: !smem):
      %none = arith.constant dense<0.0> : !acc
      %d = hk_nv.warpgroup_mma %t, %t, %none : !smem, !smem -> !acc
      %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
      hk.worker_end
    }
  }
  return
}

// Both branches have a barrier: one fence before each, and none after them.
// CHECK-LABEL: @in_both_branches
// CHECK: scf.if
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: } else {
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: }
// CHECK-NEXT: hk_nv.warpgroup_mma
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @in_both_branches(%x: !tile, %zero: !acc, %p: i1) -> !acc {
  %a = hk.local_alloc %x : (!tile) -> !smem
  scf.if %p {
    hk.barrier
  } else {
    hk.barrier
  }
  %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// The program's fence is too late for its first barrier, but in time for the second.
// CHECK-LABEL: @in_time_for_the_next_barrier
// CHECK: hk.local_alloc
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk.proxy_fence
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk_nv.warpgroup_mma
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @in_time_for_the_next_barrier(%x: !tile, %zero: !acc) -> !acc {
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.barrier
  hk.proxy_fence
  hk.barrier
  %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}
}
