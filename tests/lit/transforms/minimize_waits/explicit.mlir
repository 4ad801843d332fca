// RUN: hocket-opt %s --split-input-file --hocket-minimize-waits --verify-diagnostics | FileCheck %s

// Copies that the program commits and waits for explicitly.

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The later of two waits is removed, so that the barrier stays where the program has it.
// CHECK-LABEL: @waits_twice
func.func @waits_twice(%p: !ptrs) -> !tile {
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: hk.async_wait_group
  // CHECK-NEXT: hk.barrier
  // CHECK-NEXT: hk.local_load
  hk.async_wait_group {outstanding = 0 : i32}
  hk.barrier local
  // expected-remark@+1 {{this wait is not needed: all operations that it waits for are complete, or their results are not used}}
  hk.async_wait_group {outstanding = 0 : i32}
  %x = hk.local_load %a : !smem -> !tile
  return %x : !tile
}

// Other warps cannot wait for copies that a worker has started.
// CHECK-LABEL: @end_of_a_worker
func.func @end_of_a_worker(%x: !hk.ptr<f32>) {
  %a = hk.local_alloc : () -> !smem
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // CHECK: hk.worker "copy"
    hk.worker "copy"(%a, %x : !smem, !hk.ptr<f32>) num_warps = 4 {
    ^bb0(%t: !smem, %v: !hk.ptr<f32>):
      %q = hk.splat %v : !hk.ptr<f32> -> !ptrs
      hk.async_copy_to_shared %q, %t : !ptrs -> !smem
      // CHECK: hk.async_commit_group
      // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
      // CHECK-NEXT: }
      hk.async_commit_group
      hk.async_wait_group {outstanding = 0 : i32}
    }
  }
  return
}

// One wait for all groups replaces two.
// CHECK-LABEL: @second_wait_has_nothing_left
func.func @second_wait_has_nothing_left(%p: !ptrs) -> (!tile, !tile) {
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  hk.async_copy_to_shared %p, %b : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_load
  hk.async_wait_group {outstanding = 0 : i32}
  %x = hk.local_load %a : !smem -> !tile
  // expected-remark@+1 {{this wait is not needed: all operations that it waits for are complete, or their results are not used}}
  hk.async_wait_group {outstanding = 0 : i32}
  %y = hk.local_load %b : !smem -> !tile
  return %x, %y : !tile, !tile
}

// The second copy is not used before the third, which needs a wait of its own.
// CHECK-LABEL: @waits_for_too_much
func.func @waits_for_too_much(%p: !ptrs) -> (!tile, !tile, !tile) {
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %c = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  hk.async_copy_to_shared %p, %b : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: hk.async_wait_group {outstanding = 1 : i32}
  // expected-remark@+1 {{this wait may leave 1 group in flight}}
  hk.async_wait_group {outstanding = 0 : i32}
  %x = hk.local_load %a : !smem -> !tile
  hk.async_copy_to_shared %p, %c : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: hk.async_wait_group {outstanding = 0 : i32}
  hk.async_wait_group {outstanding = 0 : i32}
  %y = hk.local_load %b : !smem -> !tile
  %z = hk.local_load %c : !smem -> !tile
  return %x, %y, %z : !tile, !tile, !tile
}

// An atomic may signal to other blocks that the copies are complete.
// CHECK-LABEL: @publishes
func.func @publishes(%p: !ptrs, %flag: !hk.ptr<i32>, %one: i32) -> !tile {
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  // CHECK: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.atomic_rmw
  hk.async_wait_group {outstanding = 0 : i32}
  %old = hk.atomic_rmw add, %flag, %one : !hk.ptr<i32>, i32
  // expected-remark@+1 {{this wait is not needed: all operations that it waits for are complete, or their results are not used}}
  hk.async_wait_group {outstanding = 0 : i32}
  %x = hk.local_load %a : !smem -> !tile
  return %x : !tile
}

// A condition decides about the wait: no error here, the emulator checks it at run time.
// CHECK-LABEL: @waits_sometimes
func.func @waits_sometimes(%p: !ptrs, %c: i1) -> !tile {
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_commit_group
  scf.if %c {
    // CHECK: hk.async_wait_group {outstanding = 0 : i32}
    hk.async_wait_group {outstanding = 0 : i32}
  }
  %x = hk.local_load %a : !smem -> !tile
  return %x : !tile
}

}

// -----

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @not_committed(%p: tensor<512x!hk.ptr<f32>, #blocked>) -> tensor<512xf32, #blocked> {
  %a = hk.local_alloc : () -> !hk.memdesc<512xf32, #shared>
  hk.async_copy_to_shared %p, %a : tensor<512x!hk.ptr<f32>, #blocked> -> !hk.memdesc<512xf32, #shared>
  hk.async_wait_group {outstanding = 0 : i32}
  // expected-error @below {{is still in flight: nothing has committed the copy}}
  // expected-note @below {{hint: write async_copy.commit_group() after the copy and async_copy.wait_group(0) before line}}
  %x = hk.local_load %a : !hk.memdesc<512xf32, #shared> -> tensor<512xf32, #blocked>
  return %x : tensor<512xf32, #blocked>
}
}
