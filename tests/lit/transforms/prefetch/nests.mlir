// RUN: hocket-opt %s --hocket-prefetch --verify-diagnostics | FileCheck %s
//
// A loop with num_stages around a loop that copies becomes one loop, if only the inner loop copies.
// CHECK-NOT: hk.num_stages

#load = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#read = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!pointers = tensor<512x!hk.ptr<f32>, #load>
!loaded = tensor<512xf32, #load>
!tile = tensor<512xf32, #read>
!smem = !hk.memdesc<512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// The accumulator is one variable of the new loop: only integers are selected.
// CHECK-LABEL: @passed_on
// CHECK: %[[TRIPS:.*]] = arith.muli %{{.*}} : i64
// CHECK: scf.for
// CHECK-SAME: : i64
// CHECK-NOT: arith.select {{.*}} : tensor
// CHECK: hk.load
// CHECK: hk.local_load
// CHECK-NEXT: arith.addf
// CHECK: hk.sched_barrier{{$}}
// CHECK: hk.local_store
// CHECK-NOT: scf.for
// CHECK: return
func.func @passed_on(%p: !pointers, %zero: !tile, %n: i32, %m: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %next = scf.for %k = %c0 to %m step %c1 iter_args(%a = %acc) -> (!tile) : i32 {
      %w = hk.load %p : !pointers -> !loaded
      hk.local_store %w, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %z = arith.addf %a, %x : !tile
      scf.yield %z : !tile
    }
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The accumulator starts again in each iteration of the outer loop, and the outer loop multiplies the sums.
// CHECK-LABEL: @own_accumulator
// CHECK: scf.for
// CHECK-SAME: : i64
// CHECK: hk.load
// CHECK: arith.select {{.*}} : tensor
// CHECK: hk.local_load
// CHECK: scf.if
// CHECK: arith.mulf
// CHECK: hk.sched_barrier{{$}}
func.func @own_accumulator(%p: !pointers, %zero: !tile, %n: i32, %m: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %product = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %sum = scf.for %k = %c0 to %m step %c1 iter_args(%a = %zero) -> (!tile) : i32 {
      %w = hk.load %p : !pointers -> !loaded
      hk.local_store %w, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %z = arith.addf %a, %x : !tile
      scf.yield %z : !tile
    }
    %next = arith.mulf %acc, %sum : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %product : !tile
}

// CHECK-LABEL: @async_copies
// CHECK: hk.local_alloc {{.*}}3x512xf32
// CHECK: scf.for
// CHECK-SAME: : i64
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK: hk.async_copy_to_shared
func.func @async_copies(%p: !pointers, %zero: !tile, %n: i32, %m: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %twice = arith.addi %m, %m : i32
    %next = scf.for %k = %c0 to %twice step %c1 iter_args(%a = %acc) -> (!tile) : i32 {
      hk.async_copy_to_shared %p, %tile : !pointers -> !smem
      hk.async_commit_group
      hk.async_wait_group {outstanding = 0 : i32}
      %x = hk.local_load %tile : !smem -> !tile
      %z = arith.addf %a, %x : !tile
      scf.yield %z : !tile
    } {hk.num_stages = 3 : i32}
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// CHECK-LABEL: @bounds_differ
// CHECK: scf.for %{{.*}} : i32 {
// CHECK-NEXT: scf.for
// CHECK-NEXT: hk.load
func.func @bounds_differ(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: only its inner loop copies to shared memory, and the two loops cannot become one: the bounds of the inner loop differ between iterations of the outer loop}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: give num_stages only to the inner loop}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %next = scf.for %k = %c0 to %i step %c1 iter_args(%a = %acc) -> (!tile) : i32 {
      %w = hk.load %p : !pointers -> !loaded
      hk.local_store %w, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %z = arith.addf %a, %x : !tile
      scf.yield %z : !tile
    }
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// CHECK-LABEL: @loads_before
// CHECK: scf.for %{{.*}} : i32 {
// CHECK-NEXT: hk.load
// CHECK-NEXT: hk.splat
// CHECK-NEXT: scf.for
func.func @loads_before(%p: !pointers, %q: !hk.ptr<f32>, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: only its inner loop copies to shared memory, and the two loops cannot become one: the outer loop accesses memory before its inner loop}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: give num_stages only to the inner loop}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %s = hk.load %q : !hk.ptr<f32> -> f32
    %factor = hk.splat %s : f32 -> !tile
    %next = scf.for %k = %c0 to %n step %c1 iter_args(%a = %acc) -> (!tile) : i32 {
      %w = hk.load %p : !pointers -> !loaded
      hk.local_store %w, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %y = arith.mulf %x, %factor : !tile
      %z = arith.addf %a, %y : !tile
      scf.yield %z : !tile
    }
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The new loop would store to global memory.
// CHECK-LABEL: @stores
// CHECK: scf.for %{{.*}} : i32 {
// CHECK-NEXT: scf.for
func.func @stores(%p: !pointers, %out: tensor<512x!hk.ptr<f32>, #read>, %zero: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: only its inner loop copies to shared memory, and the two loops cannot become one: it writes global memory, from which later iterations may load}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: give num_stages only to the inner loop}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %next = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero) -> (!tile) : i32 {
      %w = hk.load %p : !pointers -> !loaded
      hk.local_store %w, %tile : !loaded -> !smem
      %x = hk.local_load %tile : !smem -> !tile
      %z = arith.addf %a, %x : !tile
      scf.yield %z : !tile
    }
    hk.store %out, %next : tensor<512x!hk.ptr<f32>, #read>, !tile
  } {hk.num_stages = 2 : i32}
  return
}
}
