// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// After an arrival at a named barrier, the waiting warps may continue.

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!tile = tensor<64x64xf16, #rows>
!pointers = tensor<64x64x!hk.ptr<f16>, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The alternating partitions only read what the wgmma reads, so it stays in flight.
// CHECK-LABEL: @turns(
// CHECK: hk_nv.named_barrier_wait 0
// CHECK-NEXT: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.named_barrier_arrive 1
// CHECK-NEXT: hk_nv.named_barrier_wait 2
// CHECK-NEXT: hk_nv.warpgroup_mma_wait %{{.*}} {outstanding = 0 : i32}
// CHECK-NEXT: arith.negf
// CHECK: hk.worker
func.func @turns() {
  %a = hk.local_alloc : () -> !smem
  %r = hk.warp_specialize -> !acc {
    %zero = arith.constant dense<0.0> : !acc
    hk_nv.named_barrier_wait 0 num_warps = 8
    %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    hk_nv.named_barrier_arrive 1 num_warps = 8
    hk_nv.named_barrier_wait 2 num_warps = 8
    %n = arith.negf %d : !acc
    hk.warp_yield %n : !acc
  } workers {
    hk.worker "other"(%a : !smem) num_warps = 4 {
    ^bb0(%b: !smem):
      hk_nv.named_barrier_arrive 0 num_warps = 8
      hk_nv.named_barrier_wait 1 num_warps = 8
      %x = hk.local_load %b : !smem -> !tile
      hk_nv.named_barrier_arrive 2 num_warps = 8
      hk.worker_end
    }
  }
  return
}

// A worker overwrites an operand of the wgmma after its wait at barrier 1: the wgmma must be complete before the
// arrival there, but not before the arrival at barrier 0, at which another worker waits.
// CHECK-LABEL: @released(
// CHECK: hk_nv.warpgroup_mma %
// CHECK-NEXT: hk_nv.named_barrier_arrive 0
// CHECK-NEXT: hk_nv.warpgroup_mma_wait
// CHECK-NEXT: hk_nv.named_barrier_arrive 1
// CHECK: hk.worker
func.func @released() {
  %a = hk.local_alloc : () -> !smem
  %r = hk.warp_specialize -> !acc {
    %zero = arith.constant dense<0.0> : !acc
    %d = hk_nv.warpgroup_mma %a, %a, %zero : !smem, !smem -> !acc
    hk_nv.named_barrier_arrive 0 num_warps = 8
    hk_nv.named_barrier_arrive 1 num_warps = 8
    hk.warp_yield %d : !acc
  } workers {
    hk.worker "other"(%a : !smem) num_warps = 4 {
    ^bb0(%b: !smem):
      hk_nv.named_barrier_wait 1 num_warps = 8
      %x = arith.constant dense<1.0> : !tile
      hk.local_store %x, %b : !tile -> !smem
      hk.worker_end
    }
    hk.worker "reader"(%a : !smem) num_warps = 4 {
    ^bb0(%b: !smem):
      hk_nv.named_barrier_wait 0 num_warps = 8
      %x = hk.local_load %b : !smem -> !tile
      hk.worker_end
    }
  }
  return
}

// The copied data must be complete before the arrival.
// CHECK-LABEL: @copied(
// CHECK: hk.async_copy_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk_nv.named_barrier_arrive 0
func.func @copied(%p: !pointers) {
  %a = hk.local_alloc : () -> !smem
  hk.warp_specialize {
    hk.async_copy_to_shared %p, %a : !pointers -> !smem
    hk_nv.named_barrier_arrive 0 num_warps = 8
    hk.warp_yield
  } workers {
    hk.worker "other"(%a : !smem) num_warps = 4 {
    ^bb0(%b: !smem):
      hk_nv.named_barrier_wait 0 num_warps = 8
      %x = hk.local_load %b : !smem -> !tile
      hk.worker_end
    }
  }
  return
}
}
