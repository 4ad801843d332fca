// RUN: hocket-opt %s --hocket-prefetch --verify-diagnostics | FileCheck %s
//
// Copies in branches are prefetched under the conditions of the branches, and inner loops of nested loops are prefetched.
// CHECK-NOT: hk.num_stages

#load = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#read = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!pointers = tensor<512x!hk.ptr<f32>, #load>
!loaded = tensor<512xf32, #load>
!tile = tensor<512xf32, #read>
!smem = !hk.memdesc<512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: @copy_in_branch
// CHECK: %[[BUFFER:.*]] = hk.local_alloc
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK: %[[BIT:.*]] = arith.andi %[[NEXT]]
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[BIT]]
// CHECK: %[[X:.*]] = scf.if %[[EVEN]] -> {{.*}} {
// CHECK-NEXT: hk.load
// CHECK: hk.local_load %[[BUFFER]]
// CHECK: hk.sched_barrier{{$}}
// CHECK-NEXT: scf.if %[[EVEN]] {
// CHECK: hk.local_store {{.*}}, %[[BUFFER]]
func.func @copy_in_branch(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %bit = arith.andi %i, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    scf.if %even {
      %v = hk.load %p : !pointers -> !loaded
      %w = arith.addf %v, %v : !loaded
      hk.local_store %w, %tile : !loaded -> !smem
    }
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The branch also computes with the tile, and the other branch copies, too.
// CHECK-LABEL: @both_branches
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: hk.load
// CHECK: scf.if
// CHECK-NEXT: hk.load
// CHECK: scf.if
// CHECK-NEXT: hk.local_load
// CHECK: hk.sched_barrier{{$}}
// CHECK-NEXT: scf.if
// CHECK-NEXT: hk.local_store
// CHECK: scf.if
// CHECK-NEXT: hk.local_store
func.func @both_branches(%p: !pointers, %q: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %bit = arith.andi %i, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    %next = scf.if %even -> (!tile) {
      %v = hk.load %p : !pointers -> !loaded
      hk.local_store %v, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %y = arith.addf %acc, %x : !tile
      scf.yield %y : !tile
    } else {
      %v = hk.load %q : !pointers -> !loaded
      hk.local_store %v, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %y = arith.mulf %acc, %x : !tile
      scf.yield %y : !tile
    }
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The condition depends on what the loop computes, so the copy cannot be made earlier.
// CHECK-LABEL: @condition_is_computed
// CHECK: scf.for
// CHECK-NOT: hk.sched_barrier
// CHECK: scf.if
// CHECK-NEXT: hk.load
// CHECK-NEXT: hk.local_store
func.func @condition_is_computed(%p: !pointers, %table: !smem, %zero: !tile, %n: i32, %s: !hk.ptr<i32>) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: the condition of its copy depends on a read of shared memory}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %t = hk.local_load %table : !smem -> !tile
    %largest = hk.reduce %t axis = 0 {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      hk.combine.return %m : f32
    } : (!tile) -> f32
    %f = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %largest, %f : f32
    scf.if %positive {
      %v = hk.load %p : !pointers -> !loaded
      hk.local_store %v, %tile : !loaded -> !smem
    }
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// Both loops copy and have num_stages: the inner loop is pipelined first, and is one operation of the outer loop.
// CHECK-LABEL: @both_loops
// CHECK: scf.for
// CHECK: hk.load
// CHECK: scf.for
// CHECK: hk.load
// CHECK: hk.local_load
// CHECK: hk.sched_barrier{{$}}
// CHECK: hk.local_store
// CHECK: hk.sched_barrier{{$}}
// CHECK: hk.local_store
func.func @both_loops(%p: !pointers, %q: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %outer = hk.local_alloc : () -> !smem
  %inner = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %q : !pointers -> !loaded
    hk.local_store %v, %outer : !loaded -> !smem
    %o = hk.local_load %outer : !smem -> !tile
    %next = scf.for %k = %c0 to %n step %c1 iter_args(%a = %acc) -> (!tile) : i32 {
      %w = hk.load %p : !pointers -> !loaded
      hk.local_store %w, %inner : !loaded -> !smem
      %x = hk.local_load %inner : !smem -> !tile
      %y = arith.mulf %x, %o : !tile
      %z = arith.addf %a, %y : !tile
      scf.yield %z : !tile
    } {hk.num_stages = 2 : i32}
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// Asynchronous copies: the commit and the wait of the branch are executed in every iteration, and the ring buffer has a
// slot for each stage. The tile is read only in iterations that copy to it.
// CHECK-LABEL: @async_copy_in_branch
// CHECK: hk.local_alloc {{.*}}2x512xf32
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK: scf.if %{{.*}} {
// CHECK: hk.async_copy_to_shared
// CHECK: hk.async_commit_group
// CHECK: scf.if %{{.*}} -> {{.*}} {
// CHECK: hk.local_load
func.func @async_copy_in_branch(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %bit = arith.andi %i, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    %next = scf.if %even -> (!tile) {
      hk.async_copy_to_shared %p, %tile : !pointers -> !smem
      hk.async_commit_group
      hk.async_wait_group {outstanding = 0 : i32}
      %x = hk.local_load %tile : !smem -> !tile
      %y = arith.addf %acc, %x : !tile
      scf.yield %y : !tile
    } else {
      scf.yield %acc : !tile
    }
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The tile keeps its values from an earlier iteration, so it cannot become a ring buffer.
// CHECK-LABEL: @async_copy_is_kept
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: hk.async_copy_to_shared
// CHECK-NEXT: hk.async_commit_group
func.func @async_copy_is_kept(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it accesses the buffer in iterations that do not copy to it}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: copy in every iteration, or access the buffer under the condition of the copy}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %bit = arith.andi %i, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    scf.if %even {
      hk.async_copy_to_shared %p, %tile : !pointers -> !smem
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}
}
