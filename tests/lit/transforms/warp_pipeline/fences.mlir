// RUN: hocket-opt %s --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// Slots that become fences (hk.barrier local); no fence is inserted inside a stage afterwards.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#swap = #hk.linear<reg = [], lane = [[2], [1], [4], [8], [16], [32]], warp = [[64], [128], [256]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!t = tensor<512xf32, #turn>
!s = tensor<512xf32, #swap>
!a = !hk.memdesc<512xf32, #shared>
!ring2 = !hk.memdesc<2x512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
!ring4 = !hk.memdesc<4x512xf32, #shared>
!i = tensor<512xi32, #row>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {

// Different slots at distance 1, both ways; the same slot is 3 stages apart either way, and one fence settles both.
// CHECK-LABEL: @ring
// CHECK: scf.for
// CHECK: hk.local_store
// CHECK: hk.slot_barrier{{$}}
// CHECK: hk.local_load
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "store"
// CHECK-NEXT: }
func.func @ring(%m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc : () -> !ring3
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      %n = arith.addi %k, %c1 : i32
      %i = arith.remsi %n, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      hk.local_store %x, %s : !v -> !a
    }
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      %l = hk.local_load %s : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Adjacent stages with a fixed slot each: no fence at all.
// CHECK-LABEL: @own_slots
// CHECK: hk.barrier local
// CHECK: scf.for
// CHECK-NOT: hk.barrier
// CHECK: return
func.func @own_slots(%m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !ring2
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      %s = hk.memdesc_index %a[%c0] : !ring2 -> !a
      hk.local_store %x, %s : !v -> !a
    }
    hk.stage "load" {
      %s = hk.memdesc_index %a[%c1] : !ring2 -> !a
      %l = hk.local_load %s : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Slot indices are loop-carried counters, one of them computed in a stage.
// CHECK-LABEL: @counters
// CHECK: scf.for
// CHECK: hk.local_store
// CHECK: hk.slot_barrier{{$}}
// CHECK: hk.local_load
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "store"
// CHECK-NEXT: scf.yield
func.func @counters(%m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc : () -> !ring3
  %r:2 = scf.for %k = %c0 to %m step %c1 iter_args(%write = %c1, %read = %c0) -> (i32, i32) : i32 {
    %w = hk.stage "store" -> i32 {
      %s = hk.memdesc_index %a[%write] : !ring3 -> !a
      hk.local_store %x, %s : !v -> !a
      %n = arith.addi %write, %c1 : i32
      %i = arith.remsi %n, %c3 : i32
      hk.stage_yield %i : i32
    }
    %l = hk.stage "load" -> i32 {
      %s = hk.memdesc_index %a[%read] : !ring3 -> !a
      %l = hk.local_load %s : !a -> !t
      %n = arith.addi %read, %c1 : i32
      %last = arith.cmpi eq, %read, %c2 : i32
      %i = arith.select %last, %c0, %n : i32
      hk.stage_yield %i : i32
    }
    scf.yield %w, %l : i32, i32
  } {hk.pipelined = 1 : i32}
  return
}

// Each warp reads only elements that its own lanes have written: no fence at all.
// CHECK-LABEL: @warp_private
// CHECK: scf.for
// CHECK-NOT: hk.barrier
// CHECK: return
func.func @warp_private(%m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hk.local_alloc : () -> !a
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      hk.local_store %x, %a : !v -> !a
    }
    hk.stage "load" {
      %l = hk.local_load %a : !a -> !s
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Copies that are waited for one stage before they are read. The wait's barrier must be a fence, and with four slots it is
// also enough for the copies that overwrite them.
// CHECK-LABEL: @copies
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "copy"
// CHECK: hk_amd.buffer_load_to_shared
// CHECK: hk.slot_barrier{{$}}
// CHECK: hk.local_load
// CHECK-NOT: barrier local
// CHECK: return
func.func @copies(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %o = hk.arange 0 to 512 : !i
  %a = hk.local_alloc : () -> !ring4
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "copy" {
      %n = arith.addi %k, %c2 : i32
      %i = arith.remsi %n, %c4 : i32
      %s = hk.memdesc_index %a[%i] : !ring4 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %s : !hk.ptr<f32>, !i -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      %i = arith.remsi %k, %c4 : i32
      %s = hk.memdesc_index %a[%i] : !ring4 -> !a
      %l = hk.local_load %s : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// A barrier of the program already is a fence.
// CHECK-LABEL: @users_barrier
// CHECK: scf.for
// CHECK-COUNT-1: hk.barrier{{$}}
// CHECK-NOT: hk.barrier
// CHECK: return
func.func @users_barrier(%m: i32, %x: !v) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %a = hk.local_alloc : () -> !ring3
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "store" {
      %n = arith.addi %k, %c1 : i32
      %i = arith.remsi %n, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      hk.local_store %x, %s : !v -> !a
    }
    hk.barrier
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      %l = hk.local_load %s : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Unrolled by two, with a remainder: both loops are pipelines, of four stages and of two. They follow each other
// directly, so the groups stay apart in between.
// CHECK-LABEL: @unrolled
// CHECK-COUNT-1: hk.group_barrier
// CHECK: scf.for
// CHECK-COUNT-4: hk.slot_barrier
// CHECK: {{^    [}]$}}
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK-NEXT: scf.for
// CHECK-COUNT-2: hk.slot_barrier
// CHECK: {{^    [}]$}}
// CHECK-COUNT-1: hk.group_barrier
// CHECK-NOT: barrier
// CHECK: return
func.func @unrolled(%n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  scf.for %k = %c0 to %n step %c2 : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  scf.for %k = %n to %m step %c1 : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
