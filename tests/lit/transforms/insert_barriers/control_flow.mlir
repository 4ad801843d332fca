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

// Branches --------------------------------------------------------------------------------------------------------------

// CHECK-LABEL: @branches
func.func @branches(%x: !tile, %p: i1) -> !other {
  %a = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: scf.if
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK: else
  // CHECK-NEXT: arith.constant
  %y = scf.if %p -> !other {
    %v = hk.local_load %a : !smem -> !other
    scf.yield %v : !other
  } else {
    %v = arith.constant dense<0.0> : !other
    scf.yield %v : !other
  }
  // Still pending on the path where the branch was not taken.
  // CHECK: }
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  hk.local_store %y, %a : !other -> !smem
  return %y : !other
}

// CHECK-LABEL: @both_branches_wait
func.func @both_branches_wait(%x: !tile, %p: i1) -> !other {
  %a = hk.local_alloc %x : (!tile) -> !smem
  scf.if %p {
    hk.barrier
  } else {
    hk.barrier
  }
  // CHECK: else
  // CHECK: }
  // CHECK-NEXT: hk.local_load
  %y = hk.local_load %a : !smem -> !other
  return %y : !other
}

// The result of scf.if may be either buffer.
// CHECK-LABEL: @either_buffer
func.func @either_buffer(%x: !tile, %p: i1) -> (!other, !other) {
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %c = hk.local_alloc : () -> !smem
  %one = arith.select %p, %a, %b : !smem
  // CHECK: hk.local_store
  hk.local_store %x, %one : !tile -> !smem
  // CHECK-NEXT: hk.local_load
  %y = hk.local_load %c : !smem -> !other
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %z = hk.local_load %b : !smem -> !other
  hk.local_store %x, %a : !tile -> !smem
  return %y, %z : !other, !other
}

// In a branch that may differ between warps, a barrier inside does not count: other warps do not reach it.
// CHECK-LABEL: @branch_of_warps
func.func @branch_of_warps(%x: !tile, %z: !other, %large: tensor<512xi1, #wide>) -> !other {
  // CHECK: hk.local_alloc
  // CHECK: hk.any_in_warp
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: scf.yield
  %a = hk.local_alloc %x : (!tile) -> !smem
  %p = hk.any_in_warp %large : tensor<512xi1, #wide>
  %y = scf.if %p -> !other {
    %b = hk.local_load %a : !smem -> !other
    scf.yield %b : !other
  } else {
    scf.yield %z : !other
  }
  // Some warps may still be reading.
  // CHECK: hk.barrier local
  // CHECK-NEXT: hk.local_store
  hk.local_store %x, %a : !tile -> !smem
  // CHECK-NOT: hk.barrier
  // CHECK: return
  return %y : !other
}

// CHECK-LABEL: @branch_of_warps_without_hazard
func.func @branch_of_warps_without_hazard(%x: !tile, %z: !other, %large: tensor<512xi1, #wide>) -> !other {
  // CHECK-NOT: hk.barrier
  // CHECK: hk.barrier{{$}}
  // CHECK-NOT: hk.barrier
  // CHECK: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  hk.barrier
  %p = hk.any_in_warp %large : tensor<512xi1, #wide>
  %y = scf.if %p -> !other {
    %b = hk.local_load %a : !smem -> !other
    scf.yield %b : !other
  } else {
    scf.yield %z : !other
  }
  return %y : !other
}

// Loops -----------------------------------------------------------------------------------------------------------------

// The classic tile loop: one barrier for "written before read", one for "read before written in the next iteration".
// CHECK-LABEL: @tile_loop
func.func @tile_loop(%x: !tile, %n: i32, %init: !other) -> !other {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  // CHECK: scf.for
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: scf.yield
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> !other : i32 {
    hk.local_store %x, %a : !tile -> !smem
    %y = hk.local_load %a : !smem -> !other
    %s = arith.addf %acc, %y : !other
    scf.yield %s : !other
  }
  return %r : !other
}

// Two slots used alternately, unrolled by two: one barrier per step is enough.
// CHECK-LABEL: @two_slots
func.func @two_slots(%x: !tile, %n: i32, %init: !other) -> !other {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = hk.local_alloc : () -> !ring
  %a = hk.memdesc_index %ring[%c0] : !ring -> !smem
  %b = hk.memdesc_index %ring[%c1] : !ring -> !smem
  // CHECK: scf.for
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: arith.addf
  %r = scf.for %i = %c0 to %n step %c2 iter_args(%acc = %init) -> !other : i32 {
    hk.local_store %x, %a : !tile -> !smem
    %y = hk.local_load %a : !smem -> !other
    hk.local_store %x, %b : !tile -> !smem
    %z = hk.local_load %b : !smem -> !other
    %s = arith.addf %y, %z : !other
    scf.yield %s : !other
  }
  return %r : !other
}

// Stored once before the loop: the barrier belongs before the loop.
// CHECK-LABEL: @barrier_before_the_loop
func.func @barrier_before_the_loop(%x: !tile, %n: i32, %init: !other) -> !other {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: hk.barrier local
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: hk.local_load
  // CHECK-NOT: hk.barrier
  // CHECK: return
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> !other : i32 {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %acc) -> !other : i32 {
      %y = hk.local_load %a : !smem -> !other
      %s = arith.addf %inner, %y : !other
      scf.yield %s : !other
    }
    scf.yield %q : !other
  }
  return %r : !other
}

// The barrier of the next iteration also covers the store before the loop: no second barrier before it.
// CHECK-LABEL: @loop_settles_what_precedes_it
func.func @loop_settles_what_precedes_it(%x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: hk.local_alloc
  // CHECK-NOT: hk.barrier
  // CHECK: scf.for
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %a = hk.local_alloc %x : (!tile) -> !smem
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = hk.local_load %a : !smem -> !other
    hk.local_store %x, %a : !tile -> !smem
  }
  return
}

// A loop may have zero iterations: accesses before it and after it can conflict.
// CHECK-LABEL: @loop_may_not_run
func.func @loop_may_not_run(%x: !tile, %n: i32) -> !other {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc %x : (!tile) -> !smem
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.barrier
  }
  // CHECK: scf.for
  // CHECK: }
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_load
  %y = hk.local_load %a : !smem -> !other
  return %y : !other
}

// The part of a while loop before its condition runs at least once.
// CHECK-LABEL: @while_loop
func.func @while_loop(%x: !tile, %p: i1) -> !other {
  %a = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: scf.while
  // CHECK-NEXT: hk.barrier{{$}}
  // CHECK: do
  // CHECK-NEXT: hk.local_load
  // CHECK-NEXT: scf.yield
  scf.while : () -> () {
    hk.barrier
    scf.condition(%p)
  } do {
    %z = hk.local_load %a : !smem -> !other
    scf.yield
  }
  // CHECK: hk.local_load
  %y = hk.local_load %a : !smem -> !other
  // CHECK-NEXT: hk.barrier local
  // CHECK-NEXT: hk.local_store
  hk.local_store %x, %a : !tile -> !smem
  return %y : !other
}

// Handles that a loop swaps: each may refer to both buffers.
// CHECK-LABEL: @exchanged_buffers
func.func @exchanged_buffers(%x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  // CHECK: scf.for
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (!smem, !smem) : i32 {
    // CHECK-NEXT: hk.barrier local
    // CHECK-NEXT: hk.local_load
    // CHECK-NEXT: hk.barrier local
    // CHECK-NEXT: hk.local_store
    %y = hk.local_load %from : !smem -> !other
    hk.local_store %y, %to : !other -> !smem
    scf.yield %to, %from : !smem, !smem
  }
  return
}

// A view of a handle that a loop swaps refers to either buffer. The next iteration loads what this one stores.
// CHECK-LABEL: @view_of_exchanged_buffer
func.func @view_of_exchanged_buffer(%x: tensor<64x64xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc %x : (tensor<64x64xf32, #rows>) -> !hk.memdesc<64x64xf32, #shared2>
  %b = hk.local_alloc : () -> !hk.memdesc<64x64xf32, #shared2>
  // CHECK: scf.for
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %a, %to = %b)
      -> (!hk.memdesc<64x64xf32, #shared2>, !hk.memdesc<64x64xf32, #shared2>) : i32 {
    // CHECK-NEXT: hk.memdesc_permute
    // CHECK-NEXT: hk.barrier local
    // CHECK-NEXT: hk.local_load
    // CHECK-NEXT: hk.barrier local
    // CHECK-NEXT: hk.local_store
    %view = hk.memdesc_permute %from [1, 0] : !hk.memdesc<64x64xf32, #shared2> -> !hk.memdesc<64x64xf32, #turned>
    %y = hk.local_load %view : !hk.memdesc<64x64xf32, #turned> -> tensor<64x64xf32, #rows>
    hk.local_store %y, %to : tensor<64x64xf32, #rows> -> !hk.memdesc<64x64xf32, #shared2>
    scf.yield %to, %from : !hk.memdesc<64x64xf32, #shared2>, !hk.memdesc<64x64xf32, #shared2>
  }
  return
}
}
