// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers --hocket-insert-proxy-fences | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<64x64xf16, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>
!acc = tensor<64x64xf32, #wgmma>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: @before_the_barrier
func.func @before_the_barrier(%x: !tile, %c: !acc) -> !acc {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.local_alloc
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.warpgroup_mma
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %b = hk.local_alloc %x : (!tile) -> !smem
  %d = hk_nv.warpgroup_mma %a, %b, %c : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// The program's own fence is enough.
// CHECK-LABEL: @of_the_kernel
func.func @of_the_kernel(%x: !tile, %c: !acc) -> !acc {
  // CHECK: hk.proxy_fence
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.warpgroup_mma
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.proxy_fence
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// Too late: the barrier has already published the stores without a fence.
// CHECK-LABEL: @after_the_barrier
func.func @after_the_barrier(%x: !tile, %c: !acc) -> !acc {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk.barrier
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk_nv.warpgroup_mma
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.barrier
  hk.proxy_fence
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// Stores are visible to other lanes without a fence; stores to another buffer do not concern the wgmma.
// CHECK-LABEL: @where_lanes_read
func.func @where_lanes_read(%x: !tile, %p: tensor<64x64x!hk.ptr<f16>, #rows>, %c: !acc) -> (!acc, !tile) {
  // CHECK: hk.async_copy_to_shared
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : tensor<64x64x!hk.ptr<f16>, #rows> -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  %b = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %b : !smem -> !tile
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e, %y : !acc, !tile
}

// The wgmma of the next iteration reads the store.
// CHECK-LABEL: @around_a_loop
func.func @around_a_loop(%x: !tile, %c: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: scf.for
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.warpgroup_mma
  // CHECK-NEXT: hk_nv.warpgroup_mma_wait
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: scf.yield
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (!acc) : i32 {
    %d = hk_nv.warpgroup_mma %a, %a, %s : !smem, !smem -> !acc
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    hk.local_store %x, %a : !tile -> !smem
    scf.yield %e : !acc
  }
  return %r : !acc
}

// CHECK-LABEL: @in_one_branch
func.func @in_one_branch(%x: !tile, %c: !acc, %p: i1) -> !acc {
  %a = hk.local_alloc : () -> !smem
  // CHECK: scf.if
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: }
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.warpgroup_mma
  scf.if %p {
    hk.local_store %x, %a : !tile -> !smem
  }
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e : !acc
}

// An mbarrier orders the partitions: the fence comes before the barrier that precedes the arrival.
// CHECK-LABEL: @between_partitions
func.func @between_partitions(%x: !tile, %c: !acc, %phase: i32) -> !acc {
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !hk.memdesc<1xi64, #flat>
  %zero = arith.constant 0.0 : f16
  // CHECK: hk.warp_specialize
  %r = hk.warp_specialize -> !acc {
    hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
    // CHECK-NOT: hk.proxy_fence
    // CHECK: hk_nv.warpgroup_mma
    %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    hk.warp_yield %e : !acc
  } workers {
    hk.worker "stores"(%a, %bar, %zero : !smem, !hk.memdesc<1xi64, #flat>, f16) num_warps = 4 {
    ^bb0(%t: !smem, %b: !hk.memdesc<1xi64, #flat>, %z: f16):
      %y = hk.splat %z : f16 -> !tile
      // CHECK: hk.local_store
      // CHECK-NEXT: hk.proxy_fence
      // CHECK-NEXT: hk.barrier
      // CHECK-NEXT: hk_nv.mbarrier_arrive
      // CHECK-NOT: hk.proxy_fence
      hk.local_store %y, %t : !tile -> !smem
      hk_nv.mbarrier_arrive %b, 1 : !hk.memdesc<1xi64, #flat>
    }
  }
  // CHECK: return
  return %r : !acc
}

// All warps synchronize at the start of workers.
// CHECK-LABEL: @into_a_partition
func.func @into_a_partition(%x: !tile, %c: !acc) -> !acc {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk.warp_specialize
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %r = hk.warp_specialize -> !acc {
    %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    hk.warp_yield %e : !acc
  } workers {
    hk.worker "idle" num_warps = 4 {
    }
  }
  return %r : !acc
}

// No fence without reads through the async proxy.
// CHECK-LABEL: @without_products
func.func @without_products(%x: !tile) -> !tile {
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.barrier
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// Memory that another buffer had before: the data read was stored since.
// CHECK-LABEL: @after_another_buffer
func.func @after_another_buffer(%x: !tile, %c: !acc) -> (!acc, tensor<64xf32, #hk.slice<dim = 1, parent = #rows>>) {
  // CHECK: hk.local_store
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_alloc %{{.+}} offset = 0
  // CHECK-NEXT: hk.proxy_fence
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk_nv.warpgroup_mma
  // CHECK-NOT: hk.proxy_fence
  // CHECK: return
  %before = hk.local_alloc : () -> !hk.memdesc<64xf32, #flat>
  %ones = arith.constant dense<1.0> : tensor<64xf32, #hk.slice<dim = 0, parent = #rows>>
  hk.local_store %ones, %before : tensor<64xf32, #hk.slice<dim = 0, parent = #rows>> -> !hk.memdesc<64xf32, #flat>
  %y = hk.local_load %before : !hk.memdesc<64xf32, #flat> -> tensor<64xf32, #hk.slice<dim = 1, parent = #rows>>
  %a = hk.local_alloc %x : (!tile) -> !smem
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> !acc
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
  return %e, %y : !acc, tensor<64xf32, #hk.slice<dim = 1, parent = #rows>>
}
}
