// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// Conditional waits: a wait is removed only if, on every path, no operation meets the accesses that it completes
// itself.

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<2x512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The load needs the wait where %c is true. It would come too early where only the first %c is true; this is ignored.
// CHECK-LABEL: @same_condition
func.func @same_condition(%p: !ptrs, %x: !tile, %c: i1) -> !tile {
  %a = hk.local_alloc : () -> !smem
  scf.if %c {
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    hk.async_commit_group
  } else {
    hk.local_store %x, %a : !tile -> !smem
  }
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  scf.if %c {
    hk.async_wait_group {outstanding = 0 : i32}
  }
  // CHECK: hk.local_load
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// The first wait must complete the copy into %a; it may leave the copy into %b in flight.
// CHECK-LABEL: @relaxed_under_a_condition
func.func @relaxed_under_a_condition(%p: !ptrs, %c: i1) -> (!tile, !tile) {
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  scf.if %c {
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    hk.async_commit_group
  }
  hk.async_copy_to_shared %p, %b : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK-NEXT: hk.async_wait_group {outstanding = 1 : i32}
  scf.if %c {
    hk.async_wait_group {outstanding = 0 : i32}
  }
  %y = hk.local_load %a : !smem -> !tile
  // CHECK: hk.async_wait_group {outstanding = 0 : i32}
  hk.async_wait_group {outstanding = 0 : i32}
  %z = hk.local_load %b : !smem -> !tile
  return %y, %z : !tile, !tile
}

// One of the two branches waits in each iteration, so the loads never come too early.
// CHECK-LABEL: @alternates
func.func @alternates(%p: !ptrs, %x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = hk.local_alloc : () -> !smem
  scf.for %k = %c0 to %n step %c1 : i32 {
    %r = arith.remsi %k, %c2 : i32
    %odd = arith.cmpi eq, %r, %c1 : i32
    // CHECK: scf.if
    // CHECK: hk.local_load
    // CHECK: else
    // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
    scf.if %odd {
      %y = hk.local_load %a : !smem -> !tile
      hk.async_copy_to_shared %p, %a : !ptrs -> !smem
      hk.async_commit_group
    } else {
      hk.async_wait_group {outstanding = 0 : i32}
    }
  }
  return
}

// The loop may have no iteration: then no wait has completed the copy.
// CHECK-LABEL: @waits_in_a_loop
func.func @waits_in_a_loop(%p: !ptrs, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: scf.for
  // CHECK-NEXT: hk.async_wait_group
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
  }
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// This loop has at least one iteration.
// CHECK-LABEL: @constant_length
// CHECK: scf.for
// CHECK-NEXT: hk.async_wait_group
// CHECK-NEXT: hk.local_load
// CHECK-NOT: hk.async_wait_group
// CHECK: return
func.func @constant_length(%p: !ptrs) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    %y = hk.local_load %a : !smem -> !tile
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}

// Nine groups are older than those that the loop leaves in flight.
// CHECK-LABEL: @exact_ages
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 9 : i32}
// CHECK-NEXT: hk.local_load
func.func @exact_ages(%p: !ptrs) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.for %k = %c0 to %c9 step %c1 : i32 {
    hk.async_commit_group
  }
  hk.async_wait_group {outstanding = 7 : i32}
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// A worker reads data copied before its launch: the wait in the default partition is too late for it.
// CHECK-LABEL: @launch_of_a_worker
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.warp_specialize
func.func @launch_of_a_worker(%p: !ptrs) {
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  hk.warp_specialize {
    hk.async_wait_group {outstanding = 0 : i32}
    hk.warp_yield
  } workers {
    hk.worker "reader"(%a : !smem) num_warps = 4 {
    ^bb0(%t: !smem):
      %y = hk.local_load %t : !smem -> !tile
      hk.worker_end
    }
  }
  return
}

}
