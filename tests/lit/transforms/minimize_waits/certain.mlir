// RUN: hocket-opt %s --split-input-file --hocket-minimize-waits --verify-diagnostics | FileCheck %s

// An access is an error only if it comes too early in each execution that reaches it.

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<3x512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The branch may be taken only after the first iteration has waited.
// CHECK-LABEL: @branch_in_later_iterations
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
func.func @branch_in_later_iterations(%p: !ptrs, %out: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.for %k = %c0 to %n step %c1 : i32 {
    %later = arith.cmpi sgt, %k, %c0 : i32
    scf.if %later {
      %x = hk.local_load %a : !smem -> !tile
      hk.store %out, %x : !ptrs, !tile
    }
    hk.async_wait_group {outstanding = 0 : i32}
  }
  return
}

// The inner loop may have no iteration before the first wait.
// CHECK-LABEL: @loop_in_later_iterations
// CHECK: scf.for
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
func.func @loop_in_later_iterations(%p: !ptrs, %out: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.for %k = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %k step %c1 : i32 {
      %x = hk.local_load %a : !smem -> !tile
      hk.store %out, %x : !ptrs, !tile
    }
    hk.async_wait_group {outstanding = 0 : i32}
  }
  return
}

// The last iteration waits, and it alone writes the buffer again.
// CHECK-LABEL: @waits_where_it_leaves
// CHECK: do {
// CHECK: scf.if
// CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
func.func @waits_where_it_leaves(%p: !ptrs, %last: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %enters = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.while (%more = %enters, %k = %c0) : (i1, i32) -> i32 {
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %leaves = arith.cmpi eq, %k, %last : i32
    scf.if %leaves {
      hk.async_wait_group {outstanding = 0 : i32}
    }
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    hk.async_commit_group
    %next = arith.addi %k, %c1 : i32
    %in_range = arith.cmpi slt, %next, %n : i32
    %stays = arith.cmpi ne, %k, %last : i32
    %goes_on = arith.andi %in_range, %stays : i1
    scf.yield %goes_on, %next : i1, i32
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}

// The store may be executed only if the loop ended by its condition, after a wait.
// CHECK-LABEL: @left_without_a_commit
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK: scf.if
// CHECK: hk.local_store
func.func @left_without_a_commit(%p: !ptrs, %x: !tile, %last: i32, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %enters = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.while (%more = %enters, %k = %c0) : (i1, i32) -> i32 {
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    %stays = arith.cmpi ne, %k, %last : i32
    scf.if %stays {
      hk.async_commit_group
      hk.async_wait_group {outstanding = 0 : i32}
    }
    %next = arith.addi %k, %c1 : i32
    %in_range = arith.cmpi slt, %next, %n : i32
    %goes_on = arith.andi %in_range, %stays : i1
    scf.yield %goes_on, %next : i1, i32
  }
  scf.if %c {
    hk.local_store %x, %a : !tile -> !smem
  }
  return
}

// The loop may run no more often than the ring has slots.
// CHECK-LABEL: @fills_a_ring
func.func @fills_a_ring(%p: !ptrs, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = hk.local_alloc : () -> !ring
  scf.for %k = %c0 to %n step %c1 : i32 {
    %slot = arith.remsi %k, %c3 : i32
    %t = hk.memdesc_index %ring[%slot] : !ring -> !smem
    hk.async_copy_to_shared %p, %t : !ptrs -> !smem
    hk.async_commit_group
  }
  hk.async_wait_group {outstanding = 0 : i32}
  %t = hk.memdesc_index %ring[%c0] : !ring -> !smem
  %x = hk.local_load %t : !smem -> !tile
  return %x : !tile
}
}

// -----

// No iteration waits, so the branch is too early in each of them.
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @branch_without_a_wait(%p: !ptrs, %out: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.for %k = %c0 to %n step %c1 : i32 {
    %later = arith.cmpi sgt, %k, %c0 : i32
    scf.if %later {
      // expected-error @below {{is still in flight: no earlier wait completes the copy}}
      // expected-note @below {{hint: write async_copy.wait_group(0) before line}}
      %x = hk.local_load %a : !smem -> !tile
      hk.store %out, %x : !ptrs, !tile
    }
  }
  return
}
}

// -----

// The first iteration reaches the load before any wait.
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @first_iteration(%p: !ptrs, %out: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.for %k = %c0 to %n step %c1 : i32 {
    // expected-error @below {{is still in flight: no earlier wait completes the copy}}
    // expected-note @below {{hint: write async_copy.wait_group(0) before line}}
    %x = hk.local_load %a : !smem -> !tile
    hk.store %out, %x : !ptrs, !tile
    hk.async_wait_group {outstanding = 0 : i32}
  }
  return
}
}

// -----

// In the second iteration, the copy of the first is still in flight.
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @second_iteration(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  scf.for %k = %c0 to %n step %c1 : i32 {
    // expected-error @below {{is still in flight: no earlier wait completes the copy}}
    // expected-note @below {{hint: write async_copy.wait_group(0) before line}}
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    hk.async_commit_group
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}
}
