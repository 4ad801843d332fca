// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// Copies that the program neither commits nor waits for.

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<4x512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Straight lines ------------------------------------------------------------------------------------------------------

// CHECK-LABEL: @one_use_and_another
func.func @one_use_and_another(%p: !ptrs) -> (!tile, !tile) {
  %a = hk.local_alloc : () -> !smem
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  %between = arith.constant 1 : i32
  %x = hk.local_load %a : !smem -> !tile
  %y = hk.local_load %a : !smem -> !tile
  return %x, %y : !tile, !tile
}

// CHECK-LABEL: @one_after_the_other
func.func @one_after_the_other(%p: !ptrs) -> (!tile, !tile) {
  %a = hk.local_alloc : () -> !smem
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  %x = hk.local_load %a : !smem -> !tile
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  %y = hk.local_load %a : !smem -> !tile
  return %x, %y : !tile, !tile
}

// Consecutive copies are one group.
// CHECK-LABEL: @two_tiles
func.func @two_tiles(%p: !ptrs) -> (!tile, !tile) {
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  hk.async_copy_to_shared %p, %b : !ptrs -> !smem
  %x = hk.local_load %a : !smem -> !tile
  %y = hk.local_load %b : !smem -> !tile
  return %x, %y : !tile, !tile
}

// The source is overwritten while a copy may still read it.
// CHECK-LABEL: @store_into_the_source
func.func @store_into_the_source(%p: !hk.ptr<f32>, %q: !hk.ptr<f32>, %x: !tile) {
  %a = hk.local_alloc : () -> !smem
  %from = hk.splat %p : !hk.ptr<f32> -> !ptrs
  %to = hk.splat %q : !hk.ptr<f32> -> !ptrs
  // CHECK: hk.async_commit_group
  // CHECK-NEXT: hk.store
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.store
  // CHECK-NEXT: return
  hk.async_copy_to_shared %from, %a : !ptrs -> !smem
  hk.store %to, %x : !ptrs, !tile
  hk.store %from, %x : !ptrs, !tile
  return
}

// Branches ------------------------------------------------------------------------------------------------------------

// CHECK-LABEL: @in_both_branches
func.func @in_both_branches(%p: !ptrs, %c: i1) -> !tile {
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  // CHECK: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: scf.if
  // CHECK-NOT: hk.async_wait_group
  // CHECK: return
  %r = scf.if %c -> !tile {
    %x = hk.local_load %a : !smem -> !tile
    scf.yield %x : !tile
  } else {
    %x = hk.local_load %a : !smem -> !tile
    scf.yield %x : !tile
  }
  return %r : !tile
}

// CHECK-LABEL: @in_a_branch_and_after_it
func.func @in_a_branch_and_after_it(%p: !ptrs, %q: !ptrs, %c: i1) -> !tile {
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  // CHECK: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: scf.if
  // CHECK-NOT: hk.async_wait_group
  // CHECK: return
  scf.if %c {
    %x = hk.local_load %a : !smem -> !tile
    hk.store %q, %x : !ptrs, !tile
  }
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// Loops ---------------------------------------------------------------------------------------------------------------

// CHECK-LABEL: @uses_in_a_loop_of_their_own
func.func @uses_in_a_loop_of_their_own(%p: !ptrs, %q: !ptrs, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  // CHECK: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: scf.for
  // CHECK-NOT: hk.async_wait_group
  // CHECK: return
  scf.for %k = %c0 to %n step %c1 : i32 {
    %x = hk.local_load %a : !smem -> !tile
    hk.store %q, %x : !ptrs, !tile
  }
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// CHECK-LABEL: @one_tile_for_all_iterations
func.func @one_tile_for_all_iterations(%p: !ptrs, %q: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  // CHECK: scf.for
  // CHECK-NEXT: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.store
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  scf.for %k = %c0 to %n step %c1 : i32 {
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    %x = hk.local_load %a : !smem -> !tile
    hk.store %q, %x : !ptrs, !tile
  }
  return
}

// Four slots, copies three iterations ahead: two groups may be in flight where one is used.
// CHECK-LABEL: @ring
func.func @ring(%p: !ptrs, %q: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %ring = hk.local_alloc : () -> !ring
  %s0 = hk.memdesc_index %ring[%c0] : !ring -> !smem
  %s1 = hk.memdesc_index %ring[%c1] : !ring -> !smem
  %s2 = hk.memdesc_index %ring[%c2] : !ring -> !smem
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: scf.for
  hk.async_copy_to_shared %p, %s0 : !ptrs -> !smem
  hk.async_copy_to_shared %p, %s1 : !ptrs -> !smem
  hk.async_copy_to_shared %p, %s2 : !ptrs -> !smem
  scf.for %k = %c0 to %n step %c1 : i32 {
    // CHECK: hk.async_wait_group {outstanding = 2 : i32}
    // CHECK-NEXT: hk.local_load
    // CHECK: hk.async_copy_to_shared
    // CHECK-NEXT: hk.async_commit_group
    // CHECK-NEXT: }
    %i = arith.remsi %k, %c4 : i32
    %slot = hk.memdesc_index %ring[%i] : !ring -> !smem
    %x = hk.local_load %slot : !smem -> !tile
    hk.store %q, %x : !ptrs, !tile
    %ahead = arith.addi %k, %c3 : i32
    %j = arith.remsi %ahead, %c4 : i32
    %next = hk.memdesc_index %ring[%j] : !ring -> !smem
    hk.async_copy_to_shared %p, %next : !ptrs -> !smem
  }
  // The wait for the copies of the last iterations.
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: return
  return
}

// The tile used at the top of an iteration was copied at the end of the previous one.
// CHECK-LABEL: @around_the_back_edge
func.func @around_the_back_edge(%p: !ptrs, %q: !ptrs, %n: i32, %c: i1) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  // One wait for the branch and for the copy, which overwrites the tile.
  // CHECK: scf.for
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: scf.if
  // CHECK-NOT: hk.async_wait_group
  // CHECK: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: }
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: hk.local_load
  scf.for %k = %c0 to %n step %c1 : i32 {
    scf.if %c {
      %x = hk.local_load %a : !smem -> !tile
      hk.store %q, %x : !ptrs, !tile
    }
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
  }
  %y = hk.local_load %a : !smem -> !tile
  return %y : !tile
}

// CHECK-LABEL: @in_every_outer_iteration
func.func @in_every_outer_iteration(%p: !ptrs, %q: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  // CHECK: scf.for
  // CHECK-NEXT: hk.async_copy_to_shared
  // CHECK-NEXT: hk.async_commit_group
  // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: hk.local_load
  // CHECK-NOT: hk.async_wait_group
  // CHECK: return
  scf.for %m = %c0 to %n step %c1 : i32 {
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    scf.for %k = %c0 to %n step %c1 : i32 {
      %x = hk.local_load %a : !smem -> !tile
      hk.store %q, %x : !ptrs, !tile
    }
  }
  return
}

// Partitions of warps -------------------------------------------------------------------------------------------------

// Each partition waits for its own copies, at its own uses.
// CHECK-LABEL: @partitions
func.func @partitions(%p: !ptrs, %x: !hk.ptr<f32>) -> !tile {
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  // CHECK: hk.warp_specialize
  %y = hk.warp_specialize -> !tile {
    // CHECK-NEXT: hk.async_copy_to_shared
    // CHECK-NEXT: hk.async_commit_group
    hk.async_copy_to_shared %p, %a : !ptrs -> !smem
    // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
    // CHECK-NEXT: hk.local_load
    %z = hk.local_load %a : !smem -> !tile
    hk.warp_yield %z : !tile
  } workers {
    // CHECK: hk.worker "copy"
    hk.worker "copy"(%a, %b, %x : !smem, !smem, !hk.ptr<f32>) num_warps = 4 {
    ^bb0(%s: !smem, %t: !smem, %v: !hk.ptr<f32>):
      %q = hk.splat %v : !hk.ptr<f32> -> !ptrs
      // This worker need not wait for other partitions' copies into %a.
      // CHECK: hk.splat
      // CHECK-NEXT: hk.local_load
      %y0 = hk.local_load %s : !smem -> !tile
      // CHECK-NEXT: hk.async_copy_to_shared
      // CHECK-NEXT: hk.async_commit_group
      hk.async_copy_to_shared %q, %t : !ptrs -> !smem
      // CHECK-NEXT: hk.async_wait_group {outstanding = 0 : i32}
      // CHECK-NEXT: hk.local_load
      %z = hk.local_load %t : !smem -> !tile
      %r = arith.addf %y0, %z : !tile
      hk.store %q, %r : !ptrs, !tile
    }
  }
  return %y : !tile
}

}
