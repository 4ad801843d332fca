// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers --hocket-insert-proxy-fences -split-input-file -verify-diagnostics | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<64x64xf16, #rows>
!ptrs = tensor<64x64x!hk.ptr<f16>, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!desc = !hk_nv.tensor_desc<64x64xf16, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// A descriptor argument may describe the array that is stored to.
// CHECK-LABEL: @before_the_barrier
// CHECK: hk.store
// CHECK-NEXT: hk.proxy_fence global
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk_nv.tma_load
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @before_the_barrier(%p: !ptrs, %x: !tile, %desc: !desc) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk.store %p, %x : !ptrs, !tile
  hk.barrier
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  return
}

// The barrier is in the loop, but the store is not, so its fence is not, either.
// CHECK-LABEL: @before_the_loop
// CHECK: hk.store
// CHECK: hk.proxy_fence global
// CHECK-NEXT: scf.for
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @before_the_loop(%p: !ptrs, %x: !tile, %desc: !desc, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk.store %p, %x : !ptrs, !tile
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.barrier
    hk_nv.tma_load %desc[%i, %c0], %a, %bar, %true : !desc -> !smem, !bar
  }
  return
}

// A store at the end of the loop, read by the next iteration's load.
// CHECK-LABEL: @around_a_loop
// CHECK: scf.for
// CHECK: hk_nv.tma_load
// CHECK: hk.store
// CHECK-NEXT: hk.proxy_fence global
// CHECK-NEXT: }
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @around_a_loop(%p: !ptrs, %x: !tile, %desc: !desc, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.barrier
    hk_nv.tma_load %desc[%i, %c0], %a, %bar, %true : !desc -> !smem, !bar
    hk.store %p, %x : !ptrs, !tile
  }
  return
}

// A descriptor that the kernel makes describes the array of its pointer.
// CHECK-LABEL: @of_other_arrays
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @of_other_arrays(%base: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %p: !ptrs, %x: !tile, %rows: i32, %stride: i64) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  %desc = hk_nv.make_tensor_desc %base shape [%rows, %rows] strides [%stride] : !hk.ptr<f16> -> !desc
  hk.store %p, %x : !ptrs, !tile
  hk.barrier
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  return
}

// Another block may have acquired the data.
// CHECK-LABEL: @before_a_release
// CHECK: hk.store
// CHECK-NEXT: hk.proxy_fence global
// CHECK-NEXT: hk.atomic_rmw
// CHECK: hk_nv.tma_load
// CHECK-NOT: hk.proxy_fence
// CHECK: return
func.func @before_a_release(%p: !ptrs, %x: !tile, %desc: !desc, %flag: !hk.ptr<i32>, %first: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  scf.if %first {
    hk.store %p, %x : !ptrs, !tile
    %old = hk.atomic_rmw xchg, %flag, %c1 sem = release : !hk.ptr<i32>, i32
  } else {
    %a = hk.local_alloc : () -> !smem
    %bar = hk.local_alloc : () -> !bar
    %seen = hk.atomic_rmw or, %flag, %c0 sem = acquire : !hk.ptr<i32>, i32
    hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  }
  return
}

// The stores of lanes to the tile would otherwise follow the bulk load.
// CHECK-LABEL: @over_a_tile
// CHECK: hk.local_alloc %
// CHECK-NEXT: hk.local_load
// CHECK: hk.proxy_fence
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: hk_nv.tma_load
// CHECK: return
func.func @over_a_tile(%x: !tile, %desc: !desc) -> !tile {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %bar = hk.local_alloc : () -> !bar
  %a = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !tile
  hk.barrier
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  return %y : !tile
}

// CHECK-LABEL: @written_before_it_is_loaded
func.func @written_before_it_is_loaded(%x: !tile, %desc: !desc) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %bar = hk.local_alloc : () -> !bar
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk_nv.tma_store %a, %desc[%c0, %c0] : !smem -> !desc
  hk_nv.tma_store_wait {outstanding = 0 : i32}
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  return
}

// CHECK-LABEL: @another_block
func.func @another_block(%x: !tile, %desc: !desc, %row: i32) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %bar = hk.local_alloc : () -> !bar
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk_nv.tma_store %a, %desc[%c0, %c0] : !smem -> !desc
  hk_nv.tma_store_wait read_only {outstanding = 0 : i32}
  hk_nv.tma_load %desc[%row, %c0], %a, %bar, %true : !desc -> !smem, !bar
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<64x64xf16, #rows>
!smem = !hk.memdesc<64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!desc = !hk_nv.tensor_desc<64x64xf16, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @still_being_written(%x: !tile, %desc: !desc) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %bar = hk.local_alloc : () -> !bar
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk_nv.tma_store %a, %desc[%c0, %c0] : !smem -> !desc
  hk_nv.tma_store_wait read_only {outstanding = 0 : i32}
  // expected-error-re @+2 {{this loads a block that the store of line {{[0-9]+}} may still be writing: the waits before it cover only the reads of the store}}
  // expected-note @+1 {{hint: write tma.store_wait(0, read_only=False) before it}}
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  return
}
}
