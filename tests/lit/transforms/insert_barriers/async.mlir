// RUN: hocket-opt %s --hocket-allocate-memory --hocket-insert-barriers | FileCheck %s

// Asynchronous copies: a write is pending from the wait that covers it.

#w = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#r = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!from = tensor<1024x!hk.ptr<f32>, #w>
!tile = tensor<1024xf32, #r>
!smem = !hk.memdesc<1024xf32, #shared>
!ring = !hk.memdesc<2x1024xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "gfx942"} {

// CHECK-LABEL: @read_after_copy
func.func @read_after_copy(%x: !from) -> !tile {
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// A barrier before the wait does not cover the copy, which is still in flight.
// CHECK-LABEL: @barrier_before_wait
func.func @barrier_before_wait(%x: !from) -> !tile {
  // CHECK: hk.barrier{{$}}
  // CHECK-NEXT: hk.async_wait_group
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_commit_group
  hk.barrier
  hk.async_wait_group {outstanding = 0 : i32}
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// The program's own barrier after the wait is enough.
// CHECK-LABEL: @users_barrier
func.func @users_barrier(%x: !from) -> !tile {
  // CHECK-NOT: hk.barrier local
  // CHECK: return
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  hk.barrier
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// Copies that no wait covers need no barrier: none would help. The same holds for a wait that covers an older group
// only.
// CHECK-LABEL: @not_covered
func.func @not_covered(%x: !from) -> (!tile, !tile) {
  // CHECK: hk.async_wait_group
  // CHECK-NEXT: %[[Y:.+]] = hk.local_load %[[B:.+]] :
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_commit_group
  hk.async_copy_to_shared %x, %b : !from -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 1 : i32}
  %y = hk.local_load %b : !smem -> !tile
  %z = hk.local_load %a : !smem -> !tile
  return %y, %z : !tile, !tile
}

// A copy that is not committed is in no group.
// CHECK-LABEL: @not_committed
func.func @not_committed(%x: !from) -> !tile {
  // CHECK-NOT: hk.barrier
  // CHECK: return
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_wait_group {outstanding = 0 : i32}
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// A copy overwrites what other warps may still read.
// CHECK-LABEL: @copy_after_read
func.func @copy_after_read(%x: !from, %v: !tile) -> !tile {
  // CHECK: hk.local_load
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.async_copy_to_shared
  %a = hk.local_alloc %v : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !tile
  hk.async_copy_to_shared %x, %a : !from -> !smem
  return %y : !tile
}

// A relaxed load needs no barrier after a store.
// CHECK-LABEL: @relaxed_after_store
func.func @relaxed_after_store(%v: !tile) -> !tile {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.local_load %{{.+}} relaxed
  %a = hk.local_alloc %v : (!tile) -> !smem
  %y = hk.local_load %a relaxed : !smem -> !tile
  return %y : !tile
}

// A relaxed load needs a barrier after a wait, for copies of other warps; a copy that overwrites its tile needs one, too.
// CHECK-LABEL: @relaxed_after_wait
func.func @relaxed_after_wait(%x: !from) -> !tile {
  // CHECK: hk.async_wait_group
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load %{{.+}} relaxed
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.async_copy_to_shared
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  %y = hk.local_load %a relaxed : !smem -> !tile
  hk.async_copy_to_shared %x, %a : !from -> !smem
  return %y : !tile
}

// Two slots: for each, one barrier after the wait that covers its copy, one before it is filled again.
// CHECK-LABEL: @double_buffer
func.func @double_buffer(%x: !from, %n: i32) -> !tile {
  // CHECK: scf.for
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.async_copy_to_shared %{{.+}}, %[[B:.+]] :
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load %[[A:.+]] :
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.async_copy_to_shared %{{.+}}, %[[A]] :
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load %[[B]] :
  // CHECK-NOT: hk.barrier
  // CHECK: scf.yield
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !tile
  %ring = hk.local_alloc : () -> !ring
  %a = hk.memdesc_index %ring[%c0] : !ring -> !smem
  %b = hk.memdesc_index %ring[%c1] : !ring -> !smem
  hk.async_copy_to_shared %x, %a : !from -> !smem
  hk.async_commit_group
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> !tile : i32 {
    hk.async_copy_to_shared %x, %b : !from -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 1 : i32}
    %y = hk.local_load %a : !smem -> !tile
    hk.async_copy_to_shared %x, %a : !from -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 1 : i32}
    %z = hk.local_load %b : !smem -> !tile
    %s = arith.addf %y, %z : !tile
    %t = arith.addf %acc, %s : !tile
    scf.yield %t : !tile
  }
  return %sum : !tile
}
}
