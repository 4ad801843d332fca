// RUN: hocket-opt %s --hocket-prefetch --verify-diagnostics | FileCheck %s

// Loops that are not pipelined, each for its own reason.
// CHECK-NOT: hk.num_stages
// CHECK-NOT: hk.sched_barrier
// CHECK-NOT: scf.if

#load = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#read = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!pointers = tensor<512x!hk.ptr<f32>, #load>
!loaded = tensor<512xf32, #load>
!offsets = tensor<512xi32, #load>
!tile = tensor<512xf32, #read>
!smem = !hk.memdesc<512xf32, #shared>
!half = !hk.memdesc<256xf32, #shared, 512>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @copies_nothing(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it copies nothing from global to shared memory}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @has_barrier(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it has a barrier of its own}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: remove it: the compiler inserts barriers for shared memory}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    hk.barrier
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @has_assertion(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: an assertion in it must come before the loads of later iterations}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %ok = arith.cmpi slt, %i, %n : i32
    hk.assert %ok, "in range" : i1
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @writes_global(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it writes global memory, from which later iterations may load}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: store after the loop, or in a loop of its own}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    hk.store %p, %w : !pointers, !loaded
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// A volatile load may not be moved.
func.func @volatile_load(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it copies nothing from global to shared memory}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p volatile : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @atomic(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it writes global memory, from which later iterations may load}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: store after the loop, or in a loop of its own}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    %old = hk.atomic_rmw fadd, %p, %w : !pointers, !loaded
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @address_from_shared(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %index = hk.local_alloc : () -> !hk.memdesc<512xi32, #shared>
  // expected-warning@below {{this loop is not prefetched: the address of its load, or its condition, depends on a read of shared memory}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %o = hk.local_load %index : !hk.memdesc<512xi32, #shared> -> !offsets
    %q = hk.addptr %p, %o : !pointers, !offsets
    %v = hk.load %q : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @stores_what_it_computes(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it copies nothing from global to shared memory}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    %m = hk.local_load %tile : !smem -> !loaded
    %s = arith.addf %v, %m : !loaded
    hk.local_store %s, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @prefetches_already(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %first = hk.load %p : !pointers -> !loaded
  // expected-warning@below {{this loop is not prefetched: it stores data that an earlier iteration has loaded, so it already prefetches}}
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %held = %first) -> (!tile, !loaded) : i32 {
    hk.local_store %held, %tile : !loaded -> !smem
    %v = hk.load %p : !pointers -> !loaded
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next, %v : !tile, !loaded
  } {hk.num_stages = 2 : i32}
  return %sum#0 : !tile
}

func.func @carries_handle(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it carries a handle of shared memory from one iteration to the next}}
  // expected-note@below {{hint: index a ring of buffers with the number of the iteration}}
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %tile = %a, %other = %b) -> (!tile, !smem, !smem) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next, %other, %tile : !tile, !smem, !smem
  } {hk.num_stages = 2 : i32}
  return %sum#0 : !tile
}

func.func @allocates_buffer(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-warning@below {{this loop is not prefetched: it allocates the buffer that it copies to}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: allocate it before the loop}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %tile = hk.local_alloc : () -> !smem
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @reads_before_copy(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it accesses the buffer before it copies to it}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: copy at the start of an iteration, and to each buffer once}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @copies_twice(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it accesses the buffer before it copies to it}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: copy at the start of an iteration, and to each buffer once}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    %v2 = hk.load %p : !pointers -> !loaded
    hk.local_store %v2, %tile : !loaded -> !smem
    %y = hk.local_load %tile : !smem -> !tile
    %more = arith.addf %next, %y : !tile
    scf.yield %more : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @reads_nothing(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it does not read the data that it copies to shared memory}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    scf.yield %acc : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @too_few_iterations(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %c2 = arith.constant 2 : i32
  // expected-warning@below {{this loop is not prefetched: it has 2 iterations, but copies would start 2 iterations ahead}}
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 3 : i32}
  return %sum : !tile
}

func.func @no_commit(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it does not commit its copies to a group}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: call commit_group() after the last copy}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @no_wait(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it does not wait for its copies}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @waits_first(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it waits before it has started its copies}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: copy, commit, then wait}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @copies_in_flight(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: it has copies of other iterations in flight already}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: wait for all: wait_group(0)}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 1 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @async_address_from_shared(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %index = hk.local_alloc : () -> !hk.memdesc<512xi32, #shared>
  // expected-warning@below {{this loop is not prefetched: the source of its copy depends on a read of shared memory}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %o = hk.local_load %index : !hk.memdesc<512xi32, #shared> -> !offsets
    %q = hk.addptr %p, %o : !pointers, !offsets
    hk.async_copy_to_shared %q, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @async_buffer_used_later(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: the buffer that it copies to is used outside of the loop, too}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: allocate a separate buffer for the loop}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  %last = hk.local_load %tile : !smem -> !tile
  hk.async_wait_group {outstanding = 0 : i32}
  return %sum : !tile
}

func.func @async_fills_half(%one: !hk.ptr<f32>, %p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %q = hk.splat %one : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #load>
  // expected-warning@below {{this loop is not prefetched: it does not fill the buffer with one copy}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %h = hk.memdesc_slice %tile [0] : !smem -> !half
    hk.async_copy_to_shared %q, %h : tensor<256x!hk.ptr<f32>, #load> -> !half
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @async_two_slots(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = hk.local_alloc : () -> !hk.memdesc<2x512xf32, #shared>
  // expected-warning@below {{this loop is not prefetched: it uses several buffers of the ring in one iteration}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: use one buffer in an iteration; the compiler chooses the number of buffers}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %tile = hk.memdesc_index %ring[%c0] : !hk.memdesc<2x512xf32, #shared> -> !smem
    %b = hk.memdesc_index %ring[%c1] : !hk.memdesc<2x512xf32, #shared> -> !smem
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %b : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @async_holds_something(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc %w : (!loaded) -> !smem
  // expected-warning@below {{this loop is not prefetched: it copies to a buffer that already holds data}}
  // expected-note-re@below {{in line {{[0-9]+}}}}
  // expected-note@below {{hint: allocate the buffer before the loop, without an initial value}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

func.func @async_too_many_slots(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  // expected-warning@below {{this loop is not prefetched: rings of 120 buffers would take 245760 bytes of shared memory, but a block has 232448}}
  // expected-note@below {{hint: use fewer stages or smaller tiles}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 120 : i32}
  return %sum : !tile
}
}
