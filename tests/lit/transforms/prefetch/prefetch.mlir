// RUN: hocket-opt %s --split-input-file --hocket-prefetch=double-buffer=false --verify-diagnostics | FileCheck %s
// RUN: hocket-opt %s --split-input-file --hocket-prefetch=double-buffer=false --hocket-allocate-memory --hocket-insert-barriers --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=BARRIERS
// RUN: hocket-opt %s --split-input-file --hocket-prefetch --hocket-allocate-memory --hocket-insert-barriers --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=DOUBLE
// RUN: hocket-opt %s --split-input-file --hocket-prefetch="double-buffer=false sched-barrier=false" --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=MIXED

// MIXED-NOT: hk.sched_barrier

#load = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#read = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!pointers = tensor<512x!hk.ptr<f32>, #load>
!offsets = tensor<512xi32, #load>
!loaded = tensor<512xf32, #load>
!tile = tensor<512xf32, #read>
!smem = !hk.memdesc<512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// Loads of later iterations may precede a late assertion. Operations with output stay in order.
// CHECK-LABEL: @has_late_assertion
// CHECK: scf.for
// CHECK: hk.load
// CHECK: hk.assert %{{.*}}, "in range" late : i1
// CHECK-NEXT: hk.print "{d}"
// CHECK: return
func.func @has_late_assertion(%p: !pointers, %w: !loaded, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %ok = arith.cmpi slt, %i, %n : i32
    hk.assert %ok, "in range" late : i1
    hk.print "{d}", %i : i32
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// Two stages: read(i + 1), compute(i), write(i + 1). Without iterations the branch is not taken.
// CHECK-LABEL: @two_stages
// CHECK: %[[BUFFER:.*]] = hk.local_alloc
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = hk.load
// CHECK-NEXT: hk.local_store %[[FIRST]], %[[BUFFER]]
// CHECK-NOT: hk.sched_barrier
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = hk.load
// CHECK-NEXT: %[[X:.*]] = hk.local_load %[[BUFFER]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf {{.*}}%[[X]]
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.local_store %[[NEXT]], %[[BUFFER]]
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK-NOT: hk.load
// CHECK: hk.local_load %[[BUFFER]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK-NOT: hk.sched_barrier
// CHECK-NOT: hk.num_stages
// CHECK: return

// With one buffer, an iteration has the same barriers as without prefetching.
// BARRIERS-LABEL: @two_stages
// BARRIERS: scf.for
// BARRIERS-NOT: hk.barrier
// BARRIERS: hk.load
// BARRIERS: hk.barrier local
// BARRIERS-NEXT: hk.local_load
// BARRIERS-NOT: hk.barrier
// BARRIERS: hk.sched_barrier
// BARRIERS-NEXT: hk.barrier local
// BARRIERS-NEXT: hk.local_store
// BARRIERS-NEXT: scf.yield

// Two slots: one barrier.
// DOUBLE-LABEL: @two_stages
// DOUBLE: hk.local_alloc {{.*}}name = "tile"{{.*}} : () -> !hk.memdesc<2x512xf32, #shared>
// DOUBLE: scf.for
// DOUBLE: hk.barrier local
// DOUBLE-NEXT: hk.local_load
// DOUBLE-NOT: hk.barrier
// DOUBLE: scf.yield

// MIXED-LABEL: @two_stages
func.func @two_stages(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc name = "tile" : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %i_all = hk.splat %i : i32 -> !offsets
    %q = hk.addptr %p, %i_all : !pointers, !offsets
    %v = hk.load %q : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// Three stages: compute(i), write(i + 1), read(i + 2); loaded values stay in registers for one iteration. The
// computation between load and store moves with the store. Loops of fewer than two iterations run unchanged.
// CHECK-LABEL: @three_stages
// CHECK: scf.if
// CHECK: hk.load
// CHECK-NEXT: math.exp
// CHECK-NEXT: hk.local_store
// CHECK: %[[SECOND:.*]] = hk.load
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[HELD:.*]] = %[[SECOND]])
// CHECK-NOT: hk.load
// CHECK: hk.local_load
// CHECK: hk.sched_barrier{{$}}
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[HELD]]
// CHECK-NEXT: hk.local_store %[[EXP]]
// CHECK: %[[THIRD:.*]] = hk.load
// CHECK-NEXT: scf.yield {{.*}}, %[[THIRD]]
// CHECK-NOT: hk.load
// CHECK: hk.local_load
// CHECK: %[[LAST:.*]] = math.exp %[[LOOP]]#1
// CHECK-NEXT: hk.local_store %[[LAST]]
// CHECK-NEXT: hk.local_load
// CHECK: } else {
// CHECK: scf.for
// CHECK: hk.load
// CHECK-NEXT: math.exp
// CHECK-NEXT: hk.local_store
// CHECK-NEXT: hk.local_load
// CHECK-NOT: hk.sched_barrier
// CHECK: return

// BARRIERS-LABEL: @three_stages
// BARRIERS: scf.for
// BARRIERS: hk.barrier local
// BARRIERS-NEXT: hk.local_load
// BARRIERS-NOT: hk.barrier
// BARRIERS: math.exp
// BARRIERS-NEXT: hk.barrier local
// BARRIERS-NEXT: hk.local_store
// BARRIERS-NOT: hk.barrier
// BARRIERS: scf.yield
// BARRIERS: } else {

// DOUBLE-LABEL: @three_stages
// DOUBLE: scf.for
// DOUBLE: hk.barrier local
// DOUBLE-NEXT: hk.local_load
// DOUBLE-NOT: hk.barrier
// DOUBLE: hk.sched_barrier
// DOUBLE-NOT: hk.barrier
// DOUBLE: scf.yield
// MIXED-LABEL: @three_stages
func.func @three_stages(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %i_all = hk.splat %i : i32 -> !offsets
    %q = hk.addptr %p, %i_all : !pointers, !offsets
    %v = hk.load %q : !pointers -> !loaded
    %e = math.exp %v : !loaded
    hk.local_store %e, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 3 : i32}
  return %sum : !tile
}

// Four stages are compiled as three: loads are two iterations ahead, and one tile is in registers.
// CHECK-LABEL: @four_stages
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}, %[[HELD:[^,]*]] = %{{[^,]*}}) ->
// CHECK: hk.local_load
// CHECK: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.local_store %[[HELD]]
// CHECK: hk.load
// CHECK: scf.yield
// BARRIERS-LABEL: @four_stages
// DOUBLE-LABEL: @four_stages
// MIXED-LABEL: @four_stages
func.func @four_stages(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %i_all = hk.splat %i : i32 -> !offsets
    %q = hk.addptr %p, %i_all : !pointers, !offsets
    %v = hk.load %q : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 4 : i32}
  return %sum : !tile
}

// A pointer that is advanced: each stage that uses it has its own copy.
// CHECK-LABEL: @moving_pointer
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[POINTER:.*]] = {{.*}})
// CHECK: hk.load %[[POINTER]]
// CHECK: hk.sched_barrier
// CHECK: scf.yield
func.func @moving_pointer(%p: !pointers, %step: !offsets, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (!tile, !pointers) : i32 {
    %v = hk.load %at : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    %then = hk.addptr %at, %step : !pointers, !offsets
    scf.yield %next, %then : !tile, !pointers
  } {hk.num_stages = 2 : i32}
  return %sum#0 : !tile
}

// Any operation that only reads global memory is a load: here one through a buffer descriptor. Known bounds need no
// branch.
// CHECK-LABEL: @buffer_load
// CHECK-NOT: scf.if
// CHECK: hk_amd.buffer_load
// CHECK-NEXT: hk.local_store
// CHECK: scf.for %{{.*}} = %c0_i32 to %c7_i32 step %c1_i32
// CHECK: hk_amd.buffer_load
// CHECK: hk.local_load
// CHECK: hk.sched_barrier
// CHECK-NEXT: hk.local_store
func.func @buffer_load(%p: !hk.ptr<f32>, %offsets: !offsets, %zero: !tile) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %q = hk.addptr %p, %i : !hk.ptr<f32>, i32
    %v = hk_amd.buffer_load %q[%offsets] : !hk.ptr<f32>, !offsets -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// Asynchronous copies, three stages: a ring of three slots. In iteration i the copies of i and i + 1 are in flight: the
// wait leaves one. At the end all have been waited for. The loop has no scheduling barrier.
// CHECK-LABEL: @async_copies
// CHECK: %[[RING:.*]] = hk.local_alloc : () -> !hk.memdesc<3x512xf32, #shared>
// CHECK: scf.if
// CHECK: hk.async_copy_to_shared
// CHECK: hk.async_commit_group
// CHECK: hk.async_copy_to_shared
// CHECK: hk.async_commit_group
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NOT: hk.sched_barrier
// CHECK: hk.async_copy_to_shared
// CHECK-NEXT: hk.async_commit_group
// CHECK-NOT: hk.sched_barrier
// CHECK: hk.local_load
// CHECK-NOT: hk.sched_barrier
// CHECK: scf.yield
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK: hk.local_load
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK: hk.local_load
// CHECK: } else {

// One barrier: the slot may be filled again after it, and the copies waited for are visible.
// DOUBLE-LABEL: @async_copies
// DOUBLE: scf.for
// DOUBLE: hk.async_wait_group {outstanding = 1 : i32}
// DOUBLE: hk.barrier local
// DOUBLE-NEXT: hk.async_copy_to_shared
// DOUBLE-NEXT: hk.async_commit_group
// DOUBLE-NOT: hk.barrier
// DOUBLE: scf.yield
func.func @async_copies(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %i_all = hk.splat %i : i32 -> !offsets
    %q = hk.addptr %p, %i_all : !pointers, !offsets
    hk.async_copy_to_shared %q, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 0 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 3 : i32}
  return %sum : !tile
}

// A ring declared by the program, and two groups per iteration: buffers are used in order, and each wait covers the same
// copies as without prefetching.
// CHECK-LABEL: @async_ring
// CHECK: hk.local_alloc : () -> !hk.memdesc<2x512xf32, #shared>
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK: hk.async_copy_to_shared
// CHECK: hk.async_copy_to_shared
// CHECK: hk.local_load
// CHECK: hk.async_wait_group {outstanding = 2 : i32}
// CHECK: hk.local_load
// CHECK: scf.yield
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
func.func @async_ring(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %other = hk.local_alloc : () -> !smem
  %ring = hk.local_alloc : () -> !hk.memdesc<5x512xf32, #shared>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %slot = arith.remsi %i, %c5 : i32
    %tile = hk.memdesc_index %ring[%slot] : !hk.memdesc<5x512xf32, #shared> -> !smem
    hk.async_copy_to_shared %p, %tile : !pointers -> !smem
    hk.async_commit_group
    hk.async_copy_to_shared %p, %other : !pointers -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 1 : i32}
    %x = hk.local_load %tile : !smem -> !tile
    hk.async_wait_group {outstanding = 0 : i32}
    %y = hk.local_load %other : !smem -> !tile
    %xy = arith.addf %x, %y : !tile
    %next = arith.addf %acc, %xy : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  return %sum : !tile
}

// The buffer is read after the loop, so it keeps a single slot.
// DOUBLE-LABEL: @buffer_used_later
// DOUBLE: hk.local_alloc {{.*}} : () -> !hk.memdesc<512xf32, #shared>
// DOUBLE: scf.for
// DOUBLE: hk.sched_barrier
func.func @buffer_used_later(%p: !pointers, %zero: !tile, %n: i32) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !loaded
    hk.local_store %v, %tile : !loaded -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 2 : i32}
  %last = hk.local_load %tile : !smem -> !tile
  %all = arith.addf %sum, %last : !tile
  return %all : !tile
}
}

// -----

// The module requests prefetching for all loops: the loop with a copy is pipelined. A loop with num_stages = 1 is
// unchanged, and one without copies is not reported.
#wave = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!pointers = tensor<256x!hk.ptr<f32>, #wave>
!tile = tensor<256xf32, #wave>
!smem = !hk.memdesc<256xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx942", hk.num_stages = 2 : i32} {
// CHECK-LABEL: @all_loops
// CHECK: hk.sched_barrier
// CHECK: else
// CHECK-NOT: hk.sched_barrier
// CHECK: return
func.func @all_loops(%p: !pointers, %zero: !tile, %n: i32) -> (!tile, !tile, !tile) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !smem
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !tile
    hk.local_store %v, %tile : !tile -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  }
  %plain = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !tile
    hk.local_store %v, %tile : !tile -> !smem
    %x = hk.local_load %tile : !smem -> !tile
    %next = arith.addf %acc, %x : !tile
    scf.yield %next : !tile
  } {hk.num_stages = 1 : i32}
  %loaded = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %v = hk.load %p : !pointers -> !tile
    %next = arith.addf %acc, %v : !tile
    scf.yield %next : !tile
  }
  return %sum, %plain, %loaded : !tile, !tile, !tile
}
}
