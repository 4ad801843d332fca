// RUN: hocket-opt %s --split-input-file --hocket-minimize-waits --verify-diagnostics | FileCheck %s

// An access is an error only if some values of the function's arguments lead to it: conditions may be related.

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The condition around the loop excludes a second iteration.
// CHECK-LABEL: @one_iteration_by_a_condition
// CHECK: hk.async_copy_to_shared
func.func @one_iteration_by_a_condition(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %small = arith.cmpi sle, %n, %c1 : i32
  scf.if %small {
    scf.for %k = %c0 to %n step %c1 : i32 {
      hk.async_copy_to_shared %p, %a : !ptrs -> !smem
      hk.async_commit_group
    }
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}

// A loop counts to %n; the second loop ends at once if the count is not zero, and has no iteration otherwise.
// CHECK-LABEL: @one_iteration_by_a_count
// CHECK: hk.async_copy_to_shared
func.func @one_iteration_by_a_count(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %count = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0) -> i32 : i32 {
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  %enters = arith.cmpi sgt, %n, %c0 : i32
  %r:2 = scf.while (%more = %enters, %k = %c0) : (i1, i32) -> (i1, i32) {
    scf.condition(%more) %more, %k : i1, i32
  } do {
  ^bb0(%m: i1, %k: i32):
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    hk.async_commit_group
    %next = arith.addi %k, %c1 : i32
    %in_range = arith.cmpi slt, %next, %n : i32
    %is_zero = arith.cmpi eq, %count, %c0 : i32
    %goes_on = arith.andi %in_range, %is_zero : i1
    scf.yield %goes_on, %next : i1, i32
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}

// CHECK-LABEL: @one_iteration_by_assumption
// CHECK: hk.async_copy_to_shared
func.func @one_iteration_by_assumption(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %small = arith.cmpi sle, %n, %c1 : i32
  hk.assume %small
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    hk.async_commit_group
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}
}

// -----

// Two iterations are possible.
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @two_iterations_by_a_condition(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = hk.local_alloc : () -> !smem
  %small = arith.cmpi sle, %n, %c2 : i32
  scf.if %small {
    scf.for %k = %c0 to %n step %c1 : i32 {
      // expected-error @below {{is still in flight: no earlier wait completes the copy}}
      // expected-note @below {{hint: write async_copy.wait_group(0) before line}}
      hk.async_copy_to_shared %p, %a : !ptrs -> !smem
      hk.async_commit_group
    }
  }
  hk.async_wait_group {outstanding = 0 : i32}
  return
}
}

// -----

// An outer loop's second iteration has an inner loop of two iterations; a worker receives its trip count.
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @inner_loop_of_a_worker(%p: !hk.ptr<f32>, %n: i32) {
  %a = hk.local_alloc : () -> !smem
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.worker "copy"(%p, %n, %a : !hk.ptr<f32>, i32, !smem) num_warps = 4 {
    ^bb0(%x: !hk.ptr<f32>, %m: i32, %t: !smem):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %at = hk.splat %x : !hk.ptr<f32> -> !ptrs
      scf.for %i = %c0 to %m step %c1 : i32 {
        hk.async_wait_group {outstanding = 0 : i32}
        scf.for %k = %c0 to %i step %c1 : i32 {
          // expected-error @below {{is still in flight: no earlier wait completes the copy}}
          // expected-note @below {{hint: write async_copy.wait_group(0) before line}}
          hk.async_copy_to_shared %at, %t : !ptrs -> !smem
          hk.async_commit_group
        }
      }
      hk.async_wait_group {outstanding = 0 : i32}
      hk.worker_end
    }
  }
  return
}
}
