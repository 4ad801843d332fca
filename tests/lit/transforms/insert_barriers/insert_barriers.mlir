// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-insert-barriers --verify-diagnostics | FileCheck %s

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#wide = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#copies = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [8], order = [0]>
#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
#shared2 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
#turned = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0, 1]>
!tile = tensor<512xf32, #blocked>
!other = tensor<512xf32, #wide>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<2x512xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Straight lines ------------------------------------------------------------------------------------------------------

// CHECK-LABEL: @read_after_write
func.func @read_after_write(%x: !tile) -> !other {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !other
  return %y : !other
}

// CHECK-LABEL: @write_after_read
func.func @write_after_read(%x: !tile) -> !other {
  %a = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: return
  %y = hk.local_load %a : !smem -> !other
  hk.local_store %x, %a : !tile -> !smem
  return %y : !other
}

// CHECK-LABEL: @write_after_write
func.func @write_after_write(%x: !tile, %y: !other) {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.local_store %y, %a : !other -> !smem
  return
}

// CHECK-LABEL: @reads_do_not_conflict
func.func @reads_do_not_conflict(%x: !tile) -> (!other, !other) {
  // CHECK: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !other
  %z = hk.local_load %a : !smem -> !other
  return %y, %z : !other, !other
}

// CHECK-LABEL: @one_barrier_for_two_buffers
func.func @one_barrier_for_two_buffers(%x: !tile) -> (!other, !other) {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.local_alloc
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %b = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !other
  %z = hk.local_load %b : !smem -> !other
  return %y, %z : !other, !other
}

// CHECK-LABEL: @users_barrier_counts
func.func @users_barrier_counts(%x: !tile) -> !other {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.barrier{{$}}
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.barrier
  %y = hk.local_load %a : !smem -> !other
  return %y : !other
}

// Another buffer reuses the memory of the first one, which other warps may still read.
// CHECK-LABEL: @memory_taken_over
func.func @memory_taken_over(%x: !tile) -> (!other, !other) {
  // CHECK: hk.local_alloc
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_alloc
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !other
  %b = hk.local_alloc %x : (!tile) -> !smem
  %z = hk.local_load %b : !smem -> !other
  return %y, %z : !other, !other
}

// Lanes -----------------------------------------------------------------------------------------------------------------

// Each lane reads only what it wrote itself.
// CHECK-LABEL: @same_lane
func.func @same_lane(%x: !tile) -> !tile {
  // CHECK-NOT: hk.barrier
  // CHECK: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !tile
  hk.local_store %x, %a : !tile -> !smem
  return %y : !tile
}

// Warps 4 to 7 of this layout hold copies: a lane may read elements that another lane has written.
// CHECK-LABEL: @copies_are_other_lanes
func.func @copies_are_other_lanes(%x: tensor<512xf32, #copies>) -> tensor<512xf32, #copies> {
  // CHECK: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %a = hk.local_alloc %x : (tensor<512xf32, #copies>) -> !smem
  %y = hk.local_load %a : !smem -> tensor<512xf32, #copies>
  return %y : tensor<512xf32, #copies>
}

// Slots and slices --------------------------------------------------------------------------------------------------------

// CHECK-LABEL: @distinct_slots
func.func @distinct_slots(%x: !tile) -> !other {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = hk.local_alloc : () -> !ring
  %a = hk.memdesc_index %ring[%c0] : !ring -> !smem
  %b = hk.memdesc_index %ring[%c1] : !ring -> !smem
  // CHECK: hk.local_store
  // CHECK-NOT: hk.barrier
  // CHECK: hk.local_load
  hk.local_store %x, %a : !tile -> !smem
  %y = hk.local_load %b : !smem -> !other
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %z = hk.local_load %a : !smem -> !other
  return %z : !other
}

// CHECK-LABEL: @unknown_slot
func.func @unknown_slot(%x: !tile, %i: i32) -> !other {
  %c1 = arith.constant 1 : i32
  %ring = hk.local_alloc : () -> !ring
  %a = hk.memdesc_index %ring[%i] : !ring -> !smem
  %b = hk.memdesc_index %ring[%c1] : !ring -> !smem
  // CHECK: hk.local_store
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  hk.local_store %x, %a : !tile -> !smem
  %y = hk.local_load %b : !smem -> !other
  return %y : !other
}

// The lane reads its own elements, but the slot of the next iteration may have been written by other lanes.
// CHECK-LABEL: @same_layout_unknown_slot
func.func @same_layout_unknown_slot(%x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = hk.local_alloc : () -> !ring
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = hk.memdesc_index %ring[%i] : !ring -> !smem
    // CHECK: hk.barrier local
    // CHECK-NEXT: hk.local_store
    hk.local_store %x, %a : !tile -> !smem
  }
  return
}

// A ring that is written one slot ahead of the reads: one barrier, which lies between the store to every slot and its
// load and, an iteration later, between its load and its next store.
// CHECK-LABEL: @slot_of_next_iteration
func.func @slot_of_next_iteration(%x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = hk.local_alloc : () -> !ring
  // CHECK: scf.for
  // CHECK-NOT: hk.barrier
  // CHECK: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_store
  // CHECK-NOT: hk.barrier
  // CHECK: return
  scf.for %i = %c0 to %n step %c1 : i32 {
    %now = arith.remsi %i, %c2 : i32
    %a = hk.memdesc_index %ring[%now] : !ring -> !smem
    %i1 = arith.addi %i, %c1 : i32
    %next = arith.remsi %i1, %c2 : i32
    %b = hk.memdesc_index %ring[%next] : !ring -> !smem
    %y = hk.local_load %a : !smem -> !other
    hk.local_store %x, %b : !tile -> !smem
  }
  return
}

// Load and store use different slots in one iteration of the outer loop, but the same slot in successive iterations.
// CHECK-LABEL: @slot_of_outer_iteration
func.func @slot_of_outer_iteration(%x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = hk.local_alloc : () -> !ring
  // CHECK: scf.for
  // CHECK: hk.local_load
  // CHECK: hk.barrier local
  // CHECK: hk.local_store
  scf.for %i = %c0 to %n step %c1 : i32 {
    %now = arith.remsi %i, %c2 : i32
    %a = hk.memdesc_index %ring[%now] : !ring -> !smem
    %i1 = arith.addi %i, %c1 : i32
    %next = arith.remsi %i1, %c2 : i32
    %b = hk.memdesc_index %ring[%next] : !ring -> !smem
    %y = hk.local_load %a : !smem -> !other
    scf.for %j = %c0 to %n step %c1 : i32 {
      hk.local_store %x, %b : !tile -> !smem
    }
  }
  return
}

// CHECK-LABEL: @disjoint_slices
func.func @disjoint_slices(%x: tensor<256xf32, #blocked>) -> tensor<256xf32, #wide> {
  %a = hk.local_alloc : () -> !smem
  %low = hk.memdesc_slice %a [0] : !smem -> !hk.memdesc<256xf32, #shared, 512>
  %high = hk.memdesc_slice %a [256] : !smem -> !hk.memdesc<256xf32, #shared, 512>
  // CHECK: hk.local_store
  // CHECK-NEXT: hk.local_load
  hk.local_store %x, %low : tensor<256xf32, #blocked> -> !hk.memdesc<256xf32, #shared, 512>
  %y = hk.local_load %high : !hk.memdesc<256xf32, #shared, 512> -> tensor<256xf32, #wide>
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %z = hk.local_load %a : !smem -> !other
  return %y : tensor<256xf32, #wide>
}

// Scratch ---------------------------------------------------------------------------------------------------------------

// Both conversions use the same scratch: the second writes what the first may still read. Each contains a barrier.
// CHECK-LABEL: @scratch_after_scratch
func.func @scratch_after_scratch(%x: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
  // CHECK-NEXT: hk.convert_layout
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.convert_layout
  // CHECK-NEXT: return
  %y = hk.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  %z = hk.convert_layout %y : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
  return %z : tensor<64x64xf32, #rows>
}

// The barrier inside a conversion covers the store before it.
// CHECK-LABEL: @scratch_settles
func.func @scratch_settles(%x: !tile, %m: tensor<64x64xf32, #rows>) -> (!other, tensor<64x64xf32, #columns>) {
  // CHECK-NEXT: hk.local_alloc
  // CHECK-NEXT: hk.convert_layout
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  %t = hk.convert_layout %m : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  %y = hk.local_load %a : !smem -> !other
  return %y, %t : !other, tensor<64x64xf32, #columns>
}

// A softmax reduces twice; its small scratch regions are distinct, so no barrier is added.
// CHECK-LABEL: @two_reductions
func.func @two_reductions(%x: !tile) -> (f32, f32) {
  // CHECK-NOT: hk.barrier
  // CHECK: return
  %a = hk.reduce %x axis = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.maximumf %l, %r : f32
    hk.combine.return %s : f32
  } : (!tile) -> f32
  %b = hk.reduce %x axis = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    hk.combine.return %s : f32
  } : (!tile) -> f32
  return %a, %b : f32, f32
}

// In a loop they alternate: the barrier inside one separates the reads of the other from its next writes.
// CHECK-LABEL: @two_reductions_in_a_loop
func.func @two_reductions_in_a_loop(%x: !tile, %n: i32, %f: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK-NOT: hk.barrier
  // CHECK: return
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> f32 : i32 {
    %a = hk.reduce %x axis = 0 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.maximumf %l, %r : f32
      hk.combine.return %s : f32
    } : (!tile) -> f32
    %b = hk.reduce %x axis = 0 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      hk.combine.return %s : f32
    } : (!tile) -> f32
    %s = arith.addf %a, %b : f32
    scf.yield %s : f32
  }
  return %q : f32
}

// A single conversion conflicts with itself in the next iteration.
// CHECK-LABEL: @one_reduction_in_a_loop
func.func @one_reduction_in_a_loop(%x: !tile, %n: i32, %f: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.reduce
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> f32 : i32 {
    %a = hk.reduce %x axis = 0 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.maximumf %l, %r : f32
      hk.combine.return %s : f32
    } : (!tile) -> f32
    scf.yield %a : f32
  }
  return %q : f32
}
}

// -----

// Guards ----------------------------------------------------------------------------------------------------------------

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  // expected-error @below {{hocket-insert-barriers needs structured control flow}}
  func.func @blocks(%p: i1) {
    cf.cond_br %p, ^one, ^two
  ^one:
    return
  ^two:
    return
  }
}
